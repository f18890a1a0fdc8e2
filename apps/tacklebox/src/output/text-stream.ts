import type { Io } from "../io.ts";
import { printableText } from "./printable.ts";

/** Text that comes in pieces, on its way to stdout: passed on at once, made safe where a person looks (T18). */
export interface TextStream {
  write(piece: string): Promise<void>;
  /** What follows begins on a line of its own. */
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

// A piece may end inside a character or between the two of a line end; alone they mean something else.
const HALF = /[\r\ud800-\udbff]$/;
