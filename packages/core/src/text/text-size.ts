/** How many bytes a text has in UTF-8; a lone surrogate counts as the replacement character it becomes. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // A surrogate pair has four bytes and two units.
    if (unit < 0x800 || isHighSurrogate(unit, text.charCodeAt(at + 1))) bytes += 1;
    else if (!isLowSurrogate(unit) || !isHighSurrogate(text.charCodeAt(at - 1), unit)) bytes += 2;
    else bytes += 1;
  }
  return bytes;
}

/** The longest beginning of a text that has at most so many bytes as part of a JSON document. Splits no character. */
export function cutToJsonBytes(text: string, mostBytes: number): string {
  let bytes = 0;
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) ?? 0;
    bytes += jsonBytesOf(point);
    if (bytes > mostBytes) return text.slice(0, at);
    at += point > 0xffff ? 2 : 1;
  }
  return text;
}

/** Such as `256 KB` or `15.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [size, unit] = bytes < 1024 ** 2 ? [bytes / 1024, "KB"] : [bytes / 1024 ** 2, "MB"];
  return `${size.toFixed(1).replace(/\.0$/, "")} ${unit}`;
}

/** Characters that JSON writes as a backslash and one letter. */
const ESCAPED: ReadonlySet<number> = new Set(Array.from('\b\t\n\f\r"\\', (character) => character.charCodeAt(0)));

function jsonBytesOf(point: number): number {
  if (ESCAPED.has(point)) return 2;
  // Other control characters and lone surrogates are written as \u followed by four digits.
  if (point < 0x20 || (point >= 0xd800 && point <= 0xdfff)) return 6;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point > 0xffff ? 4 : 3;
}

function isHighSurrogate(unit: number, next: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(next);
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
