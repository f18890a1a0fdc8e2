const WIDE_RANGES: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
];

const PLAIN = /^[\x20-\x7e]*$/;
const EMOJI = /\p{Emoji_Presentation}/u;
/** The emoji variation selector, and the joiner that combines emoji into one. */
const PICTURE_MARK = /[\ufe0f\u200d]/;

/**
 * Latin, punctuation, arrows, symbols, kana, ideographs and Hangul: in a text of only these, every code unit is a
 * character. Avoids the segmenter, whose first use takes longer than the rest of the program's start.
 */
const SINGLE =
  /^[\x20-\x7e\xa0-\u02ff\u2010-\u2027\u2030-\u205e\u2100-\u2bff\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/;

let segmenter: Intl.Segmenter | undefined;

/** Splits a text into graphemes: what a person sees as one character, however many code points it has. */
export function splitCharacters(text: string): readonly string[] {
  if (SINGLE.test(text)) return text.split("");
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** The number of terminal columns that the text takes. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return splitCharacters(text).reduce((width, character) => width + characterWidth(character), 0);
}

/** Returns the text, or as much of its start as fits together with an ellipsis. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const character of splitCharacters(text)) {
    used += characterWidth(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** The width of one grapheme, as `splitCharacters` returns it. */
export function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300 && character.length === 1) return 1;
  if (/^\p{M}/u.test(character)) return 0;
  if (EMOJI.test(character) || PICTURE_MARK.test(character)) return 2;
  return WIDE_RANGES.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

export function firstLine(text: string): string {
  return text.trimStart().split(/\r?\n/, 1)[0] ?? "";
}
