import { printableLine } from "../../output/printable.ts";
import { wrapText } from "../markdown/word-wrap.ts";
import type { Choice } from "../person.ts";
import type { Screen } from "../terminal/screen.ts";
import { introduceServer } from "./introduce-server.ts";
import { type FormReply, type QuestionFormDeps, type QuestionOf, REFUSALS, toRefusal } from "./reply.ts";

const ACCEPT: Choice = { key: "a", label: "accept" };

/** Shows an address that a server wants opened. Never opens it: that is up to the person. */
export async function askAddress(
  question: QuestionOf<"url">,
  { person, screen }: QuestionFormDeps,
  signal: AbortSignal,
): Promise<FormReply> {
  screen.print(formatAddress(question, screen));
  const chosen = await person.choose([ACCEPT, ...REFUSALS], signal);
  return toRefusal(chosen) ?? { kind: "accept", content: {} };
}

function formatAddress(question: QuestionOf<"url">, screen: Screen): string {
  const { url } = question;
  const host = `Host: ${new URL(url).host}. Tacklebox does not open it: do so yourself if you trust it, then accept.`;
  return [
    introduceServer(question, "asks you to open an address", screen),
    // Unwrapped on a line of its own: if we broke it, it could not be copied.
    `${printableLine(url)}\n`,
    wrapText([{ text: printableLine(host), style: "dim" }], screen, "  "),
  ].join("");
}
