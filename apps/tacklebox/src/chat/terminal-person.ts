import { printableText } from "../output/printable.ts";
import { textWidth } from "../output/text-width.ts";
import { chooseByKey } from "./choose-by-key.ts";
import type { Complete } from "./complete.ts";
import type { History } from "./history.ts";
import { EMPTY_DRAFT, textOf, toLineDraft } from "./line-editor.ts";
import type { Person, PersonReply } from "./person.ts";
import { type LineDeps, type OpenLine, readLine } from "./read-line.ts";

export interface PersonDeps extends LineDeps {
  readonly history: History;
  readonly complete: Complete;
}

const PROMPT = "› ";
const QUIT_HINT = "Ctrl-C again to quit";

/** A person at a terminal: keys in, rows at the bottom of the screen out. */
export function createTerminalPerson({ history, complete, ...ports }: PersonDeps): Person {
  const { screen, keyboard } = ports;

  async function readPrompt(signal: AbortSignal): Promise<PersonReply> {
    const walk = history.walk();
    const said = await readLine(
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
      ports,
      signal,
    );
    if (said.kind === "said" && said.text.trim() !== "") {
      const below = " ".repeat(textWidth(PROMPT));
      screen.print(screen.paint(PROMPT, "cyan") + printableText(said.text).replaceAll("\n", `\n${below}`));
      history.add(said.text);
    }
    return said;
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
            if (step === "interrupted") line.finish({ kind: "silent", why: step });
            return undefined;
          },
        },
        ports,
        signal,
      ),
    choose: (choices, signal) => chooseByKey(choices, ports, signal),
    holdEarlier: () => keyboard.holdEarlier(),
    close: () => keyboard.close(),
  };
}

/** The first Ctrl-C takes back what was typed, or asks; the second leaves. */
function interruptLine(line: OpenLine): void {
  if (line.draft().characters.length > 0) line.become(EMPTY_DRAFT);
  else if (line.hint() === QUIT_HINT) line.finish({ kind: "silent", why: "interrupted" });
  else line.become(EMPTY_DRAFT, QUIT_HINT);
}
