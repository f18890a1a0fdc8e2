import type { ServerQuestion } from "@tacklebox/core";
import { printableLine } from "../../output/printable.ts";
import { wrapText } from "../markdown/word-wrap.ts";
import type { Screen } from "../terminal/screen.ts";
import { quoteText } from "./quote-text.ts";

/** Shows which server asks and its message, in a way that cannot pass for a question of Tacklebox. */
export function introduceServer(
  { server, message }: Pick<ServerQuestion, "server" | "message">,
  asks: string,
  screen: Screen,
): string {
  const hasNoMessage = message.trim() === "";
  const head = [
    { text: "? ", style: "yellow" },
    { text: printableLine(`Server ${server}`), style: "bold" },
    { text: hasNoMessage ? ` ${asks}.` : ` ${asks}, in its own words:` },
  ] as const;
  return wrapText(head, screen) + (hasNoMessage ? "" : quoteText(message, screen));
}
