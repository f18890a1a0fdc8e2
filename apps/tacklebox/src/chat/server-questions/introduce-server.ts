import type { ServerQuestion } from "@tacklebox/core";
import { printableLine } from "../../output/printable.ts";
import { wrapText } from "../markdown/word-wrap.ts";
import type { Screen } from "../screen.ts";
import { quoteText } from "./quote-text.ts";

/** Who asks, and what they say: never to be taken for a question of Tacklebox. */
export function introduceServer(
  { server, message }: Pick<ServerQuestion, "server" | "message">,
  asks: string,
  screen: Screen,
): string {
  const isSilent = message.trim() === "";
  const head = [
    { text: "? ", style: "yellow" },
    { text: printableLine(`Server ${server}`), style: "bold" },
    { text: isSilent ? ` ${asks}.` : ` ${asks}, in its own words:` },
  ] as const;
  return wrapText(head, screen) + (isSilent ? "" : quoteText(message, screen));
}
