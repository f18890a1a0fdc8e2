// Text from servers can contain terminal escape sequences, reversed text and invisible text (T18).
// C0 and C1 controls, separators, halves of surrogate pairs, and whatever Unicode shows as nothing: zero-width and
// bidirectional controls, fillers, tag characters, and variation selectors, which can carry any hidden text.
const UNPRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
  /[\u0000-\u001f\u007f-\u009f\u180e\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]|[\ud800-\udfff]/gu;

/** Makes a text of several lines printable: newlines and tabs stay, other unprintable characters become visible. */
export function printableText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(UNPRINTABLE, (character, at: number, whole: string) =>
      character === "\n" || character === "\t" || isPlain(character, at, whole) ? character : toMark(character),
    );
}

/** Makes a single line printable, such as a table cell: newlines and tabs become visible too. */
export function printableLine(text: string): string {
  return text.replace(UNPRINTABLE, (character, at: number, whole: string) =>
    isPlain(character, at, whole) ? character : toMark(character),
  );
}

/** A hyphen for the end of a line, and the selector that makes a symbol an emoji, as in ❤️ and 1️⃣. */
function isPlain(character: string, at: number, text: string): boolean {
  if (character === "\u00ad") return true;
  if (character !== "\ufe0f" && character !== "\ufe0e") return false;
  const before = text.slice(Math.max(0, at - 2), at);
  return /\p{Extended_Pictographic}$/u.test(before) || (/[0-9#*]$/.test(before) && text[at + 1] === "\u20e3");
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
