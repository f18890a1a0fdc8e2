// Text from servers can contain terminal escape sequences, reversed text and invisible text (T18).
// C0 and C1 controls, bidirectional controls, zero-width and other invisible format characters, tag characters.
const UNPRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
  /[\u0000-\u001f\u007f-\u009f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu;

/** Makes a text of several lines printable: newlines and tabs stay, other unprintable characters become visible. */
export function printableText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(UNPRINTABLE, (character) => (character === "\n" || character === "\t" ? character : toMark(character)));
}

/** Makes a single line printable, such as a table cell: newlines and tabs become visible too. */
export function printableLine(text: string): string {
  return text.replace(UNPRINTABLE, toMark);
}

/** Escapes unprintable characters in JSON. The value stays the same, and no terminal interprets them. */
export function printableJson(json: string): string {
  return json.replace(UNPRINTABLE, (character) => (character === "\n" ? character : toJsonEscape(character)));
}

function toJsonEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

function toMark(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code <= 0xff) return `\\x${digits.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, "0")}` : `\\u{${digits}}`;
}
