import type { Clock } from "@tacklebox/core";
import { printableText } from "../../output/printable.ts";
import { textWidth } from "../../output/text-width.ts";
import type { Person, PersonReply } from "../person.ts";
import type { Complete } from "../slash/complete.ts";
import { chooseByKey, PROMPT } from "./choose-by-key.ts";
import type { History } from "./history.ts";
import { createKeptInput } from "./kept-input.ts";
import { EMPTY_DRAFT, textOf, toLineDraft } from "./line-editor.ts";
import { type LineDeps, type OpenLine, readLine } from "./read-line.ts";

export interface PersonDeps extends LineDeps {
  readonly history: History;
  readonly complete: Complete;
  readonly clock: Pick<Clock, "monotonic" | "after">;
}

const QUIT_HINT = "Ctrl-C again to quit";

/** A person at a terminal, who types in rows at the bottom of the screen. */
export function createTerminalPerson({ history, complete, clock, ...deps }: PersonDeps): Person {
  const { screen, keyboard } = deps;
  const kept = createKeptInput();

  async function readPrompt(signal: AbortSignal): Promise<PersonReply> {
    keyboard.putBack(kept.release());
    const walk = history.walk();
    const reply = await readLine(
      {
        label: PROMPT,
        initial: "",
        other(line, step) {
          if (step === "complete") return completeLine(line);
          if (step === "interrupted") interruptLine(line);
          else {
            const found = walk(step, textOf(line.draft()));
            if (found !== undefined) line.become(toLineDraft(found));
          }
          return undefined;
        },
      },
      deps,
      signal,
    );
    if (reply.kind === "text" && reply.text.trim() !== "") {
      const below = " ".repeat(textWidth(PROMPT));
      screen.print(screen.paint(PROMPT, "cyan") + printableText(reply.text).replaceAll("\n", `\n${below}`));
      history.add(reply.text);
    }
    return reply;
  }

  async function completeLine(line: OpenLine): Promise<void> {
    const found = await complete(line.draft());
    if (found === undefined) return;
    line.become(found.draft, found.choices.length > 1 ? found.choices.join("  ") : undefined);
  }

  return {
    readPrompt,
    readText: ({ label, initial = "", hint }, signal) =>
      readLine(
        {
          label,
          initial,
          ...(hint !== undefined && { hint }),
          other(line, step) {
            if (step === "interrupted") line.finish({ kind: "none", why: step });
            return undefined;
          },
        },
        deps,
        signal,
      ),
    choose: (choices, signal) => chooseByKey(choices, { ...deps, clock, kept }, signal),
    close: () => keyboard.close(),
  };
}

/** The first Ctrl-C clears the line, or shows a hint on an empty one; the second quits. */
function interruptLine(line: OpenLine): void {
  if (line.draft().characters.length > 0) line.become(EMPTY_DRAFT);
  else if (line.hint() === QUIT_HINT) line.finish({ kind: "none", why: "interrupted" });
  else line.become(EMPTY_DRAFT, QUIT_HINT);
}
