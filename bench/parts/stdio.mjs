// @ts-check
import { median, pair, ratios } from "../report/arithmetic.mjs";
import { inUnit } from "../report/table.mjs";
import { figures, runRounds } from "../run/rounds.mjs";
import { other, ours } from "../run/subject.mjs";

const CALLERS = 64;
const ALLOWANCE_MS = 0.15;

/**
 * Compares governed calls over stdio with the bare SDK, and measures what the call log costs on its own.
 *
 * @param {import("./part.mjs").PartSettings} settings
 * @returns {Promise<import("../report/table.mjs").Row[]>}
 */
export async function run(settings) {
  const { quick, dataRoot } = settings;
  const load = {
    callers: CALLERS,
    warmUp: quick ? 3_000 : 10_000,
    calls: quick ? 5_000 : 20_000,
    singles: quick ? 400 : 1_500,
  };
  const { callers, warmUp } = load;
  const measured = await runRounds(
    [
      other("raw SDK", "raw-sdk.mjs", { load }),
      ours("governed, FULL", "calls", { load, dataRoot, durability: "full" }),
      ours("durable", "durable", { dataRoot, callers, warmUp, calls: quick ? 3_000 : 10_000, turns: quick ? 2 : 10 }),
      ours("governed, NORMAL", "calls", { load, dataRoot, durability: "normal" }),
    ],
    settings,
  );
  const of = (/** @type {string} */ name, /** @type {string} */ figure) => figures(measured, name, figure);
  const middle = (/** @type {string} */ name, /** @type {string} */ figure, /** @type {string} */ unit) =>
    inUnit(median(of(name, figure)), unit);

  const commits = of("governed, FULL", "commitP50");
  const beyondRaw = pair(of("governed, FULL", "p50"), of("raw SDK", "p50"), (mine, raw) => mine - raw);
  return [
    {
      what: `stdio, ${CALLERS} callers, FULL: CPU of the process tree per call`,
      ours: middle("governed, FULL", "treeCpu", "µs"),
      reference: `${middle("raw SDK", "treeCpu", "µs")} raw SDK`,
      values: ratios(of("governed, FULL", "treeCpu"), of("raw SDK", "treeCpu")),
      unit: "x",
      target: { is: "at most", bound: 1.5, aim: 1 },
    },
    {
      what: `stdio, ${CALLERS} callers, FULL: CPU of the client alone per call`,
      ours: middle("governed, FULL", "clientCpu", "µs"),
      reference: `${middle("raw SDK", "clientCpu", "µs")} raw SDK`,
      values: ratios(of("governed, FULL", "clientCpu"), of("raw SDK", "clientCpu")),
      unit: "x",
    },
    {
      what: "stdio, one caller, NORMAL: p50",
      ours: middle("governed, NORMAL", "p50", "ms"),
      reference: `${middle("raw SDK", "p50", "ms")} raw SDK`,
      values: ratios(of("governed, NORMAL", "p50"), of("raw SDK", "p50")),
      unit: "x",
      target: { is: "at most", bound: 2 },
    },
    {
      what: "stdio, one caller, FULL: p50 beyond raw SDK and two commits",
      ours: middle("governed, FULL", "p50", "ms"),
      reference: `${middle("raw SDK", "p50", "ms")} raw SDK + 2 x ${middle("governed, FULL", "commitP50", "ms")} commit`,
      values: pair(beyondRaw, commits, (beyond, commit) => beyond - 2 * commit),
      unit: "ms",
      target: { is: "at most", bound: ALLOWANCE_MS },
    },
    {
      what: `durable calls/s, ${CALLERS} callers, FULL`,
      ours: middle("durable", "durable", "/s"),
      reference: `${middle("durable", "alone", "/s")} store alone, in turn`,
      values: of("durable", "ratio"),
      unit: "x",
      target: { is: "at least", bound: 0.6 },
    },
  ];
}
