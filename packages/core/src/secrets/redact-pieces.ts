import type { Redactor } from "../ports/known-secrets.ts";

/** Redacts secrets in a text that arrives in pieces, wherever it is cut. */
export interface PieceRedactor {
  /** Adds a piece and returns what is safe to send by now, which may be empty. */
  push(piece: string): string;
  /** Returns the rest once no more pieces follow. */
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
