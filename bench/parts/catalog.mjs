// @ts-check
import { median, ratios } from "../report/arithmetic.mjs";
import { inUnit } from "../report/table.mjs";
import { figures, runRounds } from "../run/rounds.mjs";
import { ours } from "../run/subject.mjs";

/**
 * Measures a catalog of 10,000 tools, compared with one of 100.
 *
 * @param {import("./part.mjs").PartSettings} settings
 * @returns {Promise<import("../report/table.mjs").Row[]>}
 */
export async function run(settings) {
  const { dataRoot } = settings;
  const small = { dataRoot, servers: 4, toolsPerServer: 25 };
  const large = { dataRoot, servers: 4, toolsPerServer: 2_500 };
  const measured = await runRounds(
    [
      ours("no tools", "start", { ...small, toolsPerServer: 0 }),
      ours("10,000 tools", "start", large),
      ours("find among 100", "resolve", small),
      ours("find among 10,000", "resolve", large),
    ],
    settings,
  );
  const of = (/** @type {string} */ name, /** @type {string} */ figure) => figures(measured, name, figure);
  const middle = (/** @type {string} */ name, /** @type {string} */ figure, /** @type {string} */ unit) =>
    inUnit(median(of(name, figure)), unit);
  /**
   * @param {string} what
   * @param {string} figure
   * @returns {import("../report/table.mjs").Row}
   */
  const finding = (what, figure) => ({
    what,
    ours: middle("find among 10,000", figure, "µs"),
    reference: `${middle("find among 100", figure, "µs")} among 100`,
    values: ratios(of("find among 10,000", figure), of("find among 100", figure)),
    unit: "x",
    target: { is: "below", bound: 2 },
  });

  return [
    {
      what: "10,000 tools: CPU of the start",
      ours: middle("10,000 tools", "cpuMs", "ms"),
      reference: `${middle("no tools", "cpuMs", "ms")} without tools`,
      values: of("10,000 tools", "cpuMs"),
      unit: "ms",
      target: { is: "below", bound: 500 },
    },
    {
      what: "10,000 tools: heap growth",
      ours: middle("10,000 tools", "heapMb", "MB"),
      reference: `${middle("no tools", "heapMb", "MB")} without tools`,
      values: of("10,000 tools", "heapMb"),
      unit: "MB",
      target: { is: "below", bound: 60 },
    },
    finding("10,000 tools: find one by shown name", "byName"),
    finding("10,000 tools: find one by server and name", "byServer"),
  ];
}
