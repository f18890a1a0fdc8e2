import { STOP_WORDS } from "./stop-words.ts";

/**
 * The words of a text in lower case and in order, without stop words. Identifiers are split (`listOpenIssues`,
 * `list_open_issues`), and a word of two parts such as `GitHub` is also kept whole.
 */
export function splitWords(text: string, longest: number): string[] {
  const words: string[] = [];
  const capped = withoutContractions(text.length > longest ? text.slice(0, longest) : text);
  if (NON_ASCII.test(capped)) splitAnyScript(capped, longest, words);
  else splitAscii(capped, words);
  return words;
}

/** Contractions are removed first, because fragments of words such as "isn't" and "we'll" would count as rare words. */
const APOSTROPHE = /['’]/;
const CONTRACTION = /(?:(?<![\p{L}\p{N}])(?:can|won|shan)['’]t|n['’]t|['’](?:s|m|d|re|ve|ll))(?![\p{L}\p{N}])/giu;

function withoutContractions(text: string): string {
  return APOSTROPHE.test(text) ? text.replace(CONTRACTION, " ") : text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what is not ASCII is meant, control characters included.
const NON_ASCII = /[^\x00-\x7f]/;
/** Diacritics of Latin, Greek and Cyrillic letters, and invisible characters such as joiners and bidi controls. */
const MARKS_AND_INVISIBLE = /[\u0300-\u036f\p{Cf}]/gu;
const RUN = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー々]+/gu;

/** How much less of them is read: one character says as much as four, and splitting takes a hundred times as long. */
const UNSPACED_SHARE = 0.25;

let segmenter: Intl.Segmenter | undefined;

function splitAnyScript(text: string, longest: number, words: string[]): void {
  // Normalising can turn one character into eighteen, so the result is bounded as well.
  const plain = text.normalize("NFKD").slice(0, longest).replace(MARKS_AND_INVISIBLE, "").normalize("NFC");
  let room = longest * UNSPACED_SHARE;
  for (const [run] of plain.matchAll(RUN)) {
    if (!NON_ASCII.test(run)) {
      splitAscii(run, words);
      continue;
    }
    let end = 0;
    for (const unspaced of run.matchAll(UNSPACED)) {
      pushSpaced(run.slice(end, unspaced.index), words);
      pushUnspaced(unspaced[0].slice(0, room), words);
      room -= Math.min(room, unspaced[0].length);
      end = unspaced.index + unspaced[0].length;
    }
    pushSpaced(run.slice(end), words);
  }
}

function pushSpaced(run: string, words: string[]): void {
  if (run === "") return;
  if (!NON_ASCII.test(run)) splitAscii(run, words);
  else words.push(run.toLowerCase());
}

function pushUnspaced(run: string, words: string[]): void {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" });
  for (const { segment, isWordLike } of segmenter.segment(run)) if (isWordLike) words.push(segment);
}

const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  return code >= 48 && code <= 57 ? DIGIT : 0;
}

function splitAscii(text: string, words: string[]): void {
  const lower = text.toLowerCase();
  let runStart = -1;
  let partStart = 0;
  let parts = 0;
  let before = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const kind = index < text.length ? kindOf(text.charCodeAt(index)) : 0;
    if (before !== 0 && (kind === 0 || startsPart(before, kind, text, index))) {
      pushWord(lower.slice(partStart, index), words);
      parts += 1;
      partStart = index;
      // "github" is kept besides "git" and "hub", because people write it both ways. Longer chains are not words.
      if (kind === 0 && parts === 2) pushWhole(lower.slice(runStart, index), words);
    }
    if (before === 0 && kind !== 0) {
      runStart = index;
      partStart = index;
      parts = 0;
    }
    before = kind;
  }
}

/** Whether a new part of an identifier begins at `index`, as in fooBar, HTTPServer and model3. */
function startsPart(before: number, kind: number, text: string, index: number): boolean {
  if (kind === UPPER) {
    if (before !== UPPER) return true;
    return kindOf(text.charCodeAt(index + 1)) === LOWER;
  }
  return kind === DIGIT && before !== DIGIT;
}

function pushWord(word: string, words: string[]): void {
  if (!STOP_WORDS.has(word)) words.push(word);
}

function pushWhole(word: string, words: string[]): void {
  if (LETTERS.test(word)) words.push(word);
}

const LETTERS = /^[a-z]+$/;
