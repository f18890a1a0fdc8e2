// @ts-check
import { existsSync } from "node:fs";
import { join } from "node:path";
import { median, pair } from "../report/arithmetic.mjs";
import { inUnit } from "../report/table.mjs";
import { root } from "../run/places.mjs";
import { installPeers } from "../run/prepare.mjs";
import { measure, other } from "../run/subject.mjs";

const FILE = "../shared/toolsearch/scale/smithery/tools.json";
const SIZES = [
  { tools: 100, bound: undefined },
  { tools: 1_000, bound: 97 },
  { tools: 3_000, bound: undefined },
];

/**
 * Compares the tokens of a request that has only the tools selected for its prompt with one that has every definition.
 * Each round draws other real servers and other prompts.
 *
 * @param {import("./part.mjs").PartSettings} settings
 * @returns {Promise<import("../report/table.mjs").Row[]>}
 */
export async function run({ rounds, profile, dataRoot, quick, say }) {
  const file = join(root, FILE);
  const missing = existsSync(file) ? await installPeers() : `${FILE} is not here`;
  if (missing !== undefined) {
    say(missing);
    return [{ what: `tokens: skipped, ${missing}`, ours: "", reference: "", values: [], unit: "" }];
  }
  const rows = [];
  for (const { tools, bound } of SIZES) {
    /** @type {Record<string, number>[]} */
    const measured = [];
    for (let seed = 1; seed <= rounds; seed += 1) {
      say(`draw ${seed} of ${rounds}: ${tools} tools`);
      const options = { dataRoot, file, tools, seed, prompts: quick ? 3 : 10 };
      measured.push(await measure(other(`${tools} tools`, "request-tokens.mjs", options), { profile }));
    }
    const of = (/** @type {string} */ name) => measured.map((figures) => figures[name] ?? Number.NaN);
    const saved = (/** @type {string} */ name) =>
      pair(of(name), of("all"), (ours, all) => Math.round((1 - ours / all) * 1_000) / 10);
    const row = (/** @type {string} */ what, /** @type {string} */ name) => ({
      what: `${tools.toLocaleString("en")} tools: ${what}`,
      ours: inUnit(median(of(name)), "tokens"),
      reference: `${inUnit(median(of("all")), "tokens")} with every definition`,
      values: saved(name),
      unit: "% saved",
    });
    rows.push(
      { ...row("a request", "first"), ...(bound !== undefined && { target: atLeast(bound) }) },
      row("a request after three searches", "searched"),
    );
  }
  return rows;
}

/**
 * @param {number} bound
 * @returns {import("../report/arithmetic.mjs").Target}
 */
function atLeast(bound) {
  return { is: "at least", bound };
}
