/** Stands for characters that are somebody's value. */
const MASK = "\ue000";

const QUOTED = /(?<![\p{L}\p{N}])(?:"[^"]*"|'[^']*'(?![\p{L}\p{N}])|`[^`]*`|“[^”]*”|«[^»]*»)/gu;

/**
 * The text with everything quoted, and everything in braces or brackets, made unreadable. It stays as long as it was, so
 * that what is found in one is at the same place in the other.
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

/** What stands between the quotation marks, in order, with where each begins. */
export function quotedIn(text: string): { readonly at: number; readonly whole: string; readonly inner: string }[] {
  return Array.from(text.matchAll(QUOTED), ({ 0: whole, index }) => ({ at: index, whole, inner: whole.slice(1, -1) }));
}

/** The same text with one place made blank, as long as before. */
export function blankOut(text: string, at: number, length: number): string {
  return text.slice(0, at) + " ".repeat(length) + text.slice(at + length);
}

/** The same text without what is quoted, unless nothing else is said. */
export function blankQuoted(text: string): string {
  const spoken = text.replace(QUOTED, (quoted) => " ".repeat(quoted.length));
  return spoken.trim() === "" ? text : spoken;
}
