/**
 * The stem of a lower-case English word, by Porter's algorithm (1980) with its author's later corrections: "connected",
 * "connecting" and "connections" have the same stem.
 */
export function stemOf(word: string): string {
  if (word.length < 3) return word;
  // At the start of a word, and after a vowel, y is a consonant: in upper case it does not match the vowels.
  let stem = word.replace(/^y/, "Y");
  stem = withoutPlural(stem);
  stem = withoutPast(stem);
  if (stem.endsWith("y") && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`;
  stem = replaceSuffix(stem, LONG_SUFFIXES);
  stem = replaceSuffix(stem, SHORT_SUFFIXES);
  stem = withoutEnding(stem);
  return withoutFinalE(stem).toLowerCase();
}

const CONSONANT = "[^aeiou]";
const VOWEL = "[aeiouy]";
const CONSONANTS = `${CONSONANT}[^aeiouy]*`;
const VOWELS = `${VOWEL}[aeiou]*`;
/** The number of changes from vowels to consonants in a stem decides how much may be cut off. */
const SOME = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}`);
const EXACTLY_ONE = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}(?:${VOWELS})?$`);
const MORE = new RegExp(`^(?:${CONSONANTS})?(?:${VOWELS}${CONSONANTS}){2}`);
const WITH_VOWEL = new RegExp(`^(?:${CONSONANTS})?${VOWEL}`);
const SHORT = new RegExp(`^${CONSONANTS}${VOWEL}[^aeiouwxy]$`);
const DOUBLED = /([^aeiouylsz])\1$/;

const LONG_SUFFIXES: ReadonlyMap<string, string> = new Map([
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
  ["logi", "log"],
]);
const SHORT_SUFFIXES: ReadonlyMap<string, string> = new Map([
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
]);
const ENDING =
  /^(.+?)(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$|^(.+?[st])(?:ion)$/;
const MAX_SUFFIX_LENGTH = 7;
const MIN_SUFFIX_LENGTH = 3;

function hasVowel(text: string): boolean {
  return WITH_VOWEL.test(text);
}

function withoutPlural(word: string): string {
  if (!word.endsWith("s") || word.endsWith("ss")) return word;
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.slice(0, -1);
}

function withoutPast(word: string): string {
  if (word.endsWith("eed")) return SOME.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const cut = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
  const rest = word.slice(0, word.length - cut);
  if (cut === 0 || !hasVowel(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (DOUBLED.test(rest)) return rest.slice(0, -1);
  return SHORT.test(rest) ? `${rest}e` : rest;
}

function replaceSuffix(word: string, suffixes: ReadonlyMap<string, string>): string {
  for (let length = Math.min(MAX_SUFFIX_LENGTH, word.length - 1); length >= MIN_SUFFIX_LENGTH; length -= 1) {
    const replacement = suffixes.get(word.slice(-length));
    if (replacement === undefined) continue;
    const rest = word.slice(0, -length);
    return SOME.test(rest) ? rest + replacement : word;
  }
  return word;
}

function withoutEnding(word: string): string {
  const found = ENDING.exec(word);
  const rest = found?.[1] ?? found?.[2];
  return rest !== undefined && MORE.test(rest) ? rest : word;
}

function withoutFinalE(word: string): string {
  let stem = word;
  if (stem.endsWith("e")) {
    const rest = stem.slice(0, -1);
    if (MORE.test(rest) || (EXACTLY_ONE.test(rest) && !SHORT.test(rest))) stem = rest;
  }
  return stem.endsWith("ll") && MORE.test(stem) ? stem.slice(0, -1) : stem;
}
