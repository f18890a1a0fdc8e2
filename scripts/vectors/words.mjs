// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../run.mjs";

/**
 * @typedef {object} Word
 * @property {string} text
 * @property {number} rank by frequency, from 1
 */

const MAX_WORDS = 16_000;
const START = "[CLS]";
const END = "[SEP]";

/**
 * Chooses words common in tool descriptions first, which the vocabulary has only in pieces, then its most frequent
 * words.
 *
 * @param {Record<string, number>} vocabulary
 * @returns {Word[]}
 */
export function chooseWords(vocabulary) {
  // Numbers have no meaning of their own. Sorted, because a record lists keys that look like numbers first.
  const whole = Object.entries(vocabulary)
    .sort(([, a], [, b]) => a - b)
    .map(([token]) => token)
    .filter((token) => /^[a-z0-9]*[a-z][a-z0-9]*$/.test(token));
  const known = new Set(whole);
  const file = readFileSync(join(root, "scripts/vectors/more-words.txt"), "utf8");
  const more = [...new Set(file.split(/\s+/).filter((text) => text !== "" && !known.has(text)))];
  const kept = whole.slice(0, MAX_WORDS - more.length);
  // Single characters come first in the vocabulary, but not because they are frequent.
  const singles = kept.filter((text) => text.length === 1).length;
  return [
    ...kept.map((text, place) => ({ text, rank: Math.max(place - singles, 0) + 1 })),
    ...more.map((text) => ({ text, rank: kept.length })),
  ];
}

/**
 * Splits a word into tokens, always taking the longest matching piece, as the model's tokenizer does.
 *
 * @param {string} word
 * @param {Record<string, number>} vocabulary
 * @returns {number[]}
 */
export function toTokens(word, vocabulary) {
  const tokens = [];
  for (let start = 0; start < word.length; ) {
    const prefix = start === 0 ? "" : "##";
    let end = word.length;
    while (end > start && vocabulary[prefix + word.slice(start, end)] === undefined) end -= 1;
    if (end === start) throw new Error(`The vocabulary cannot spell '${word}'.`);
    tokens.push(vocabulary[prefix + word.slice(start, end)] ?? 0);
    start = end;
  }
  return [vocabulary[START] ?? 0, ...tokens, vocabulary[END] ?? 0];
}
