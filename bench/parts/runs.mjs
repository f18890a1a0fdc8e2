// @ts-check
import { median, pair } from "../report/arithmetic.mjs";
import { inUnit } from "../report/table.mjs";
import { bench } from "../run/places.mjs";
import { figures, runRounds } from "../run/rounds.mjs";
import { ours } from "../run/subject.mjs";

const MESSAGES = 1_000;

/**
 * Measures what the run loop adds to its model, and how fast long sessions open. The loop's figures include everything
 * it does: the session and its messages on disk, and one governed and recorded call for every two turns.
 *
 * @param {import("./part.mjs").PartSettings} settings
 * @returns {Promise<import("../report/table.mjs").Row[]>}
 */
export async function run(settings) {
  const { quick, dataRoot } = settings;
  const unpaced = { dataRoot, bench, warmUp: quick ? 20 : 50, runs: quick ? 50 : 200, pieces: 50, everyMs: 0 };
  const paced = { ...unpaced, warmUp: 2, runs: quick ? 3 : 10, everyMs: 5 };
  const measured = await runRounds(
    [
      ours("adapter", "runs", { ...unpaced, by: "adapter" }),
      ours("run loop", "runs", { ...unpaced, by: "engine" }),
      ours("adapter, piece by piece", "runs", { ...paced, by: "adapter" }),
      ours("run loop, piece by piece", "runs", { ...paced, by: "engine" }),
      ours("long session", "session", { dataRoot, messages: MESSAGES }),
    ],
    settings,
  );
  const of = (/** @type {string} */ name, /** @type {string} */ figure) => figures(measured, name, figure);
  const middle = (/** @type {string} */ name, /** @type {string} */ figure) => inUnit(median(of(name, figure)), "ms");
  const minus = (/** @type {number} */ mine, /** @type {number} */ theirs) => mine - theirs;

  return [
    {
      what: "a model turn of 50 pieces in a run: added CPU",
      ours: middle("run loop", "cpuMs"),
      reference: `${middle("adapter", "cpuMs")} by the model adapter alone`,
      values: pair(of("run loop", "cpuMs"), of("adapter", "cpuMs"), minus),
      unit: "ms",
      target: { is: "below", bound: 3 },
    },
    {
      what: "a piece of text in a run: added time until it is told (p50)",
      ours: middle("run loop, piece by piece", "p50"),
      reference: `${middle("adapter, piece by piece", "p50")} by the model adapter alone`,
      values: pair(of("run loop, piece by piece", "p50"), of("adapter, piece by piece", "p50"), minus),
      unit: "ms",
      target: { is: "below", bound: 1 },
    },
    {
      what: `a session of ${MESSAGES} messages: CPU until it is loaded`,
      ours: middle("long session", "loadCpu"),
      reference: "",
      values: of("long session", "loadCpu"),
      unit: "ms",
      target: { is: "below", bound: 100 },
    },
    {
      what: `a session of ${MESSAGES} messages: CPU until a run has sent it to the model`,
      ours: middle("long session", "runCpu"),
      reference: "",
      values: of("long session", "runCpu"),
      unit: "ms",
      target: { is: "below", bound: 100 },
    },
  ];
}
