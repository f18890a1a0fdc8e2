import type { Redactor } from "../ports/known-secrets.ts";

/** Strikes secrets out of a text that comes in pieces, however these are cut. */
export interface PieceRedactor {
  /** What can be told by now, which may be nothing. */
  push(piece: string): string;
  /** What is left when nothing follows. */
  end(): string;
}

export function createPieceRedactor(redact: Redactor): PieceRedactor {
  let held = "";
  return {
    push(piece) {
      const text = held + piece;
      const cut = redact.cutAt?.(text) ?? text.length;
      held = text.slice(cut);
      return redact(text.slice(0, cut));
    },
    end() {
      if (held === "") return "";
      const rest = redact(held);
      held = "";
      return rest;
    },
  };
}
