import type { Progress } from "@tacklebox/core";
import type { Sink } from "../io.ts";
import { printableLine } from "./printable.ts";
import { cutToWidth } from "./text-width.ts";

/** One line at the bottom of the terminal that is redrawn in place; other output goes above it. */
export interface ProgressLine {
  readonly live: boolean;
  /** Replaces the line. Does nothing unless the line is live. */
  show(text: string): void;
  clear(): void;
  /** Writes ordinary output above the line. */
  write(text: string): Promise<void>;
}

const ERASE_LINE = "\r\u001b[2K";

export function createProgressLine(
  stderr: Sink,
  terminal: { live: boolean; columns: number | undefined },
): ProgressLine {
  let shown = "";
  const draw = (text: string) => {
    shown = text;
    void stderr.write(ERASE_LINE + text);
  };
  return {
    live: terminal.live,
    show(text) {
      if (terminal.live) draw(cutToWidth(printableLine(text), (terminal.columns ?? 80) - 1));
    },
    clear() {
      if (shown !== "") draw("");
    },
    write: (text) => stderr.write(shown === "" ? text : `${ERASE_LINE}${text}${shown}`),
  };
}

/** Describes the progress of a call. */
export function formatProgress(tool: string, { progress, total, message }: Progress): string {
  const amount = total === undefined ? String(progress) : `${progress}/${total}`;
  return `${tool}: ${amount}${message === undefined ? "" : ` ${message}`}`;
}
