import { printableText } from "../../output/printable.ts";
import type { Screen } from "../terminal/screen.ts";
import { createMarkdownLines } from "./markdown-lines.ts";
import { createWordWrap } from "./word-wrap.ts";

/** Shows Markdown as it arrives in pieces. Nothing is ever redrawn. */
export interface MarkdownStream {
  write(piece: string): void;
  /** Shows everything that is held back. */
  end(): void;
}

// A piece may end inside a surrogate pair or a CRLF.
const HALF = /[\r\ud800-\udbff]$/;

export function createMarkdownStream(screen: Pick<Screen, "stream" | "endLine" | "columns" | "paint">): MarkdownStream {
  const { paint, columns } = screen;
  let output = "";
  let held = "";
  const write = (text: string) => {
    output += text;
  };
  const wrap = createWordWrap(write, paint, columns);
  const lines = createMarkdownLines({ write, wrap, paint, columns });

  function take(text: string): void {
    for (const piece of text.match(/[^\n]+|\n/g) ?? []) {
      if (piece === "\n") lines.endLine();
      else lines.grow(piece);
    }
  }

  function flush(): void {
    wrap.flush();
    screen.stream(output);
    output = "";
  }

  return {
    write(piece) {
      const text = held + piece;
      held = HALF.exec(text)?.[0] ?? "";
      take(printableText(text.slice(0, text.length - held.length)));
      flush();
    },
    end() {
      take(printableText(held));
      held = "";
      lines.end();
      flush();
      screen.endLine();
    },
  };
}
