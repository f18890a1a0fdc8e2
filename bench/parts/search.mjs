// @ts-check
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { runNode } from "../../scripts/run.mjs";
import { median } from "../report/arithmetic.mjs";
import { inUnit } from "../report/table.mjs";
import { bench, root } from "../run/places.mjs";
import { installPeers } from "../run/prepare.mjs";
import { figures, runRounds } from "../run/rounds.mjs";
import { other } from "../run/subject.mjs";

const FOLDER = "../shared/toolsearch";
const OURS = { words: join(bench, "search/engine-words.mjs"), vectors: join(bench, "search/engine.mjs") };
/** The nDCG@10 to reach: with words alone, that of the reference engine; with vectors, our own target. */
const SETS = [
  { set: "dev/mcpbench", words: 70.7, vectors: 72 },
  { set: "dev/toole", words: 64.2, vectors: 68 },
  { set: "dev/bfcl", words: 84.1, vectors: 85 },
  { set: "dev/bfcl-live", words: 75.1, vectors: 76 },
];

/**
 * Measures whether the right tools are found, with that folder's own scorer, and how fast, compared with other engines.
 *
 * @param {import("./part.mjs").PartSettings} settings
 * @returns {Promise<import("../report/table.mjs").Row[]>}
 */
export async function run(settings) {
  const { say, dataRoot } = settings;
  const data = join(root, FOLDER);
  const missing = existsSync(join(data, "score.mjs")) ? await installPeers() : `${FOLDER} is not here`;
  if (missing !== undefined) {
    say(missing);
    return [{ what: `search: skipped, ${missing}`, ours: "", reference: "", values: [], unit: "" }];
  }
  const others = {
    "MiniSearch 7.2.0": join(bench, "search/engine-minisearch.mjs"),
    "MiniSearch tuned": join(bench, "search/engine-minisearch-tuned.mjs"),
    "reference engine": copyReference(data, dataRoot),
  };
  return [...(await found(data, others, say)), ...(await speed(data, others, settings))];
}

/**
 * Copies the reference engine into the bench, because the one package it needs is installed only here.
 *
 * @param {string} data
 * @param {string} dataRoot
 */
function copyReference(data, dataRoot) {
  const folder = join(dataRoot, "search");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "reference.mjs");
  copyFileSync(join(data, "lexical.mjs"), file);
  return file;
}

/**
 * @param {string} data
 * @param {Record<string, string>} others
 * @param {(line: string) => void} say
 */
async function found(data, others, say) {
  const words = await score(data, OURS.words, say);
  const vectors = await score(data, OURS.vectors, say);
  /** @type {[string, (set: string) => number][]} */
  const compared = [];
  for (const [name, file] of Object.entries(others)) compared.push([name, await score(data, file, say)]);
  const rows = SETS.flatMap(({ set, ...bounds }) => {
    const reference = compared.map(([name, of]) => `${of(set).toFixed(1)} ${name}`).join(", ");
    const row = (/** @type {string} */ how, /** @type {number} */ value, /** @type {number} */ bound) => ({
      what: `search ${set}, nDCG@10, ${how}`,
      ours: value.toFixed(1),
      reference,
      // The verdict uses the rounded value that is shown.
      values: [Math.round(value * 10) / 10],
      unit: "",
      target: /** @type {const} */ ({ is: "at least", bound }),
    });
    return [row("words", words(set), bounds.words), row("words and vectors", vectors(set), bounds.vectors)];
  });
  const mean = (/** @type {(set: string) => number} */ of) =>
    SETS.reduce((sum, { set }) => sum + of(set), 0) / SETS.length;
  const reference = compared.map(([name, of]) => `${mean(of).toFixed(1)} ${name}`).join(", ");
  const line = { reference, unit: "" };
  return [
    ...rows,
    { ...line, what: "search, mean of the sets, words", ours: mean(words).toFixed(1), values: [mean(words)] },
    {
      ...line,
      what: "search, mean of the sets, words and vectors",
      ours: mean(vectors).toFixed(1),
      values: [mean(vectors)],
    },
  ];
}

/**
 * @param {string} data
 * @param {string} engine
 * @param {(line: string) => void} say
 * @returns {Promise<(set: string) => number>} nDCG@10 by set
 */
async function score(data, engine, say) {
  say(`scoring ${engine.slice(bench.length + 1)}`);
  const sets = SETS.map(({ set }) => set);
  const { code, output } = await runNode([join(data, "score.mjs"), engine, ...sets], { capture: true });
  if (code !== 0) throw new Error(`The scorer ended with code ${code}: ${output.trim()}`);
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  const bySet = new Map(lines.map((line) => JSON.parse(line)).map((figure) => [figure.set, figure["nDCG@10"]]));
  return (set) => bySet.get(set) ?? Number.NaN;
}

/**
 * @param {string} data
 * @param {Record<string, string>} others
 * @param {import("./part.mjs").PartSettings} settings
 */
async function speed(data, others, settings) {
  const subject = (/** @type {string} */ name, /** @type {string} */ engine, count = 3_000) =>
    other(name, "search-speed.mjs", { data, engine, count });
  const measured = await runRounds(
    [
      subject("words", OURS.words),
      subject("vectors", OURS.vectors),
      subject("words, 10,000", OURS.words, 10_000),
      subject("vectors, 10,000", OURS.vectors, 10_000),
      ...Object.entries(others).map(([name, file]) => subject(name, file)),
    ],
    { ...settings, rounds: Math.min(settings.rounds, 3) },
  );
  const of = (/** @type {string} */ name, /** @type {string} */ figure) => figures(measured, name, figure);
  const row = (
    /** @type {string} */ what,
    /** @type {string} */ name,
    /** @type {string} */ figure,
    /** @type {string} */ unit,
    /** @type {number | undefined} */ bound,
  ) => ({
    what: `search ${what}`,
    ours: inUnit(median(of(name, figure)), unit),
    reference: name.endsWith("10,000")
      ? ""
      : Object.keys(others)
          .map((peer) => `${inUnit(median(of(peer, figure)), unit)} ${peer}`)
          .join(", "),
    values: of(name, figure),
    unit,
    ...(bound !== undefined && { target: /** @type {const} */ ({ is: "below", bound }) }),
  });
  return [
    row("3,000 tools: index", "words", "index", "ms", 500),
    row("3,000 tools: p50", "words", "p50", "ms", 1),
    row("3,000 tools: p99", "words", "p99", "ms", 5),
    row("3,000 tools: heap", "words", "heap", "MB", 15),
    row("3,000 tools, vectors: index", "vectors", "index", "ms", undefined),
    row("3,000 tools, vectors: p50", "vectors", "p50", "ms", 1.5),
    row("3,000 tools, vectors: p99", "vectors", "p99", "ms", undefined),
    row("3,000 tools, vectors: heap", "vectors", "heap", "MB", 20),
    row("10,000 tools: p50", "words, 10,000", "p50", "ms", 5),
    row("10,000 tools, vectors: p50", "vectors, 10,000", "p50", "ms", 5),
  ];
}
