// @ts-check

import { median } from "../report/arithmetic.mjs";
import { inUnit } from "../report/table.mjs";
import { buildSlowDisk } from "../run/build-slow-disk.mjs";
import { figures, runRounds } from "../run/rounds.mjs";
import { ours } from "../run/subject.mjs";

const SYNC_MS = 300;
const CALLERS = 64;

/**
 * Measures whether a slow disk stops anything but the calls that wait for it.
 *
 * @param {import("./part.mjs").PartSettings} settings
 * @returns {Promise<import("../report/table.mjs").Row[]>}
 */
export async function run(settings) {
  const { quick, dataRoot } = settings;
  const library = buildSlowDisk(dataRoot);
  const what = `a disk whose fsync takes ${SYNC_MS} ms more: lag of the event loop, p99`;
  if (library === undefined)
    return [{ what: `${what}: did not run, it needs Linux and cc`, ours: "", reference: "", values: [], unit: "" }];
  const load = { dataRoot, callers: CALLERS, calls: quick ? 1_000 : 4_000 };
  const slow = { LD_PRELOAD: library, SLOW_DISK_MS: String(SYNC_MS) };
  const measured = await runRounds(
    [ours("this disk", "slow disk", load), { ...ours("slow disk", "slow disk", load), env: slow }],
    { ...settings, rounds: Math.min(settings.rounds, 3) },
  );
  const of = (/** @type {string} */ name, /** @type {string} */ figure) => figures(measured, name, figure);
  const middle = (/** @type {string} */ name, /** @type {string} */ figure) => inUnit(median(of(name, figure)), "ms");
  return [
    {
      what,
      ours: `${middle("slow disk", "lagP99")}, p50 ${middle("slow disk", "lagP50")}, max ${middle("slow disk", "lagMax")}`,
      reference: `${middle("this disk", "lagP99")} on this disk`,
      values: of("slow disk", "lagP99"),
      unit: "ms",
      target: { is: "below", bound: 50 },
    },
  ];
}
