/** Replaces the characters of quoted values. */
const MASK = "\ue000";

const QUOTED = /(?<![\p{L}\p{N}])(?:"[^"]*"|'[^']*'(?![\p{L}\p{N}])|`[^`]*`|“[^”]*”|«[^»]*»)/gu;

/**
 * Masks everything that is quoted or in braces or brackets. The length stays the same, so that positions in one text
 * are valid in the other.
 */
export function maskQuoted(text: string): string {
  const masked = text.replace(QUOTED, (quoted) => MASK.repeat(quoted.length));
  let depth = 0;
  let result = "";
  for (const character of masked.split("")) {
    if (character === "{" || character === "[") depth += 1;
    result += depth > 0 ? MASK : character;
    if (character === "}" || character === "]") depth = Math.max(0, depth - 1);
  }
  return result;
}

/** The quoted parts in order, each with its position. */
export function quotedIn(text: string): { readonly at: number; readonly whole: string; readonly inner: string }[] {
  return Array.from(text.matchAll(QUOTED), ({ 0: whole, index }) => ({ at: index, whole, inner: whole.slice(1, -1) }));
}

/** Replaces part of a text with spaces, keeping its length. */
export function blankOut(text: string, at: number, length: number): string {
  return text.slice(0, at) + " ".repeat(length) + text.slice(at + length);
}

/** Replaces quoted parts with spaces, unless there is nothing else in the text. */
export function blankQuoted(text: string): string {
  const spoken = text.replace(QUOTED, (quoted) => " ".repeat(quoted.length));
  return spoken.trim() === "" ? text : spoken;
}
