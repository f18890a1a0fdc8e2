import type { Io } from "../io.ts";
import { printableText } from "./printable.ts";

/** Writes text to stdout in pieces as they arrive, made printable on a terminal. */
export interface TextStream {
  write(piece: string): Promise<void>;
  /** Ends the current line, so that the next text begins on a new one. */
  endLine(): Promise<void>;
  /** Whether anything was written. */
  begun(): boolean;
}

export function createTextStream({ stdout, stdoutIsTerminal }: Pick<Io, "stdout" | "stdoutIsTerminal">): TextStream {
  let held = "";
  let last = "";

  async function put(text: string): Promise<void> {
    if (text === "") return;
    last = text.at(-1) ?? "";
    await stdout.write(stdoutIsTerminal ? printableText(text) : text);
  }

  return {
    async write(piece) {
      const text = held + piece;
      held = HALF.exec(text)?.[0] ?? "";
      await put(text.slice(0, text.length - held.length));
    },
    async endLine() {
      const rest = held;
      held = "";
      await put(rest);
      if (last !== "" && last !== "\n") await put("\n");
    },
    begun: () => last !== "" || held !== "",
  };
}

// A piece may end inside a surrogate pair or a CRLF, whose halves mean something else on their own.
const HALF = /[\r\ud800-\udbff]$/;
