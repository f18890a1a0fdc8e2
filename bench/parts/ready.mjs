// @ts-check
import { median, pair, ratios } from "../report/arithmetic.mjs";
import { inUnit } from "../report/table.mjs";
import { figures, runRounds } from "../run/rounds.mjs";
import { other, ours } from "../run/subject.mjs";

/**
 * Measures how long it takes until many servers are up, and how one that never answers affects the others.
 *
 * @param {import("./part.mjs").PartSettings} settings
 * @returns {Promise<import("../report/table.mjs").Row[]>}
 */
export async function run(settings) {
  const { quick, dataRoot } = settings;
  const servers = quick ? 5 : 20;
  const measured = await runRounds(
    [
      other("raw SDK clients", "raw-sdk-connect.mjs", { servers }),
      ours("all servers", "ready", { dataRoot, servers, dead: false }),
      ours("with a dead server", "ready", { dataRoot, servers, dead: true }),
      ours("5 servers, no tools", "start", { dataRoot, servers: 5, toolsPerServer: 0 }),
      ours("5 servers, 100 tools", "start", { dataRoot, servers: 5, toolsPerServer: 20 }),
    ],
    { ...settings, rounds: Math.min(settings.rounds, 3) },
  );
  const of = (/** @type {string} */ name, /** @type {string} */ figure) => figures(measured, name, figure);
  const middle = (/** @type {string} */ name, /** @type {string} */ figure) => inUnit(median(of(name, figure)), "ms");

  return [
    {
      what: `${servers} stdio servers ready and called: since process start`,
      ours: middle("all servers", "callable"),
      reference: `${middle("raw SDK clients", "connected")} as many raw SDK clients`,
      values: ratios(of("all servers", "callable"), of("raw SDK clients", "connected")),
      unit: "x",
      target: { is: "at most", bound: 1.15 },
    },
    {
      what: `${servers} stdio servers ready: CPU of the process tree`,
      ours: middle("all servers", "cpu"),
      reference: `${middle("raw SDK clients", "cpu")} as many raw SDK clients`,
      values: ratios(of("all servers", "cpu"), of("raw SDK clients", "cpu")),
      unit: "x",
    },
    {
      what: `${servers} stdio servers connected beside a dead one`,
      ours: middle("with a dead server", "connected"),
      reference: `${middle("all servers", "connected")} without it`,
      values: ratios(of("with a dead server", "connected"), of("all servers", "connected")),
      unit: "x",
      target: { is: "at most", bound: 1.15 },
    },
    {
      what: `tools of ${servers} servers callable beside a dead one (its timeout: 30 s)`,
      ours: middle("with a dead server", "callable"),
      reference: `${middle("all servers", "callable")} without it`,
      values: ratios(of("with a dead server", "callable"), of("all servers", "callable")),
      unit: "x",
      target: { is: "at most", bound: 1.15 },
    },
    {
      what: "start with 100 tools of 5 servers: added time (S4.36)",
      ours: middle("5 servers, 100 tools", "ms"),
      reference: `${middle("5 servers, no tools", "ms")} without tools`,
      values: pair(of("5 servers, 100 tools", "ms"), of("5 servers, no tools", "ms"), (mine, none) => mine - none),
      unit: "ms",
      target: { is: "below", bound: 1_000 },
    },
  ];
}
