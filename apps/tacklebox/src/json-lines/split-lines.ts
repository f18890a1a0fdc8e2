/** One line of input. Line numbers start at 1 and count blank lines, so that they match the person's file. */
export type InputLine =
  | { readonly kind: "line"; readonly number: number; readonly text: string; readonly bytes: number }
  | { readonly kind: "too-long"; readonly number: number }
  | { readonly kind: "not-utf8"; readonly number: number };

const NEWLINE = 0x0a;

/**
 * Splits bytes into lines, in linear time. Never holds more than `longest` bytes of a line; the rest of a longer
 * line is skipped. Blank lines are left out.
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<InputLine> {
  let parts: Uint8Array[] = [];
  let held = 0;
  let skipping = false;
  let number = 1;

  const take = (piece: Uint8Array) => {
    if (skipping) return;
    held += piece.length;
    if (held > longest) {
      skipping = true;
      parts = [];
      return;
    }
    if (piece.length > 0) parts.push(piece);
  };
  const finish = (): InputLine | undefined => {
    const line: InputLine | undefined = skipping ? { kind: "too-long", number } : decodeLine(parts, held, number);
    parts = [];
    held = 0;
    skipping = false;
    number += 1;
    return line;
  };

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      start = end + 1;
      const line = finish();
      if (line) yield line;
    }
    take(chunk.subarray(start));
  }
  const line = finish();
  if (line) yield line;
}

function decodeLine(parts: readonly Uint8Array[], bytes: number, number: number): InputLine | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts, bytes));
    return text.trim() === "" ? undefined : { kind: "line", number, text, bytes };
  } catch {
    return { kind: "not-utf8", number };
  }
}
