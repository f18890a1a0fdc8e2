import type { Io } from "../io.ts";
import { printableText } from "../output/printable.ts";
import { readAnswer } from "./read-answer.ts";

/**
 * Asks on stderr until one of the answers is typed; only its first letter counts. An empty line means `fallback`.
 * Undefined if the person pressed Ctrl-C or ended the input.
 */
export async function askChoice<const C extends string>(
  io: Io,
  question: string,
  choices: readonly C[],
  fallback: C,
): Promise<C | undefined> {
  for (;;) {
    await io.stderr.write(printableText(question));
    const answer = await readAnswer(io);
    if (answer.kind !== "line") {
      await io.stderr.write("\n");
      return undefined;
    }
    const typed = answer.text.trim().toLowerCase();
    if (typed === "") return fallback;
    const chosen = choices.find((choice) => choice === typed.slice(0, 1));
    if (chosen !== undefined) return chosen;
    await io.stderr.write(`Please type ${choices.join(", ")} and press Enter.\n`);
  }
}
