// @ts-check
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { cpuOfStart } from "../measure/cpu-of-start.mjs";
import { median, pair, ratios } from "../report/arithmetic.mjs";
import { inUnit } from "../report/table.mjs";
import { root } from "../run/places.mjs";

/**
 * Measures what a stdio server that never answers and an http server that stalls add to a call of another server.
 *
 * @param {import("./part.mjs").PartSettings} settings
 * @returns {Promise<import("../report/table.mjs").Row[]>}
 */
export async function run({ quick, dataRoot, say }) {
  const folder = mkdtempSync(join(dataRoot, "named-"));
  const stalled = createServer(() => undefined);
  await new Promise((resolve) => stalled.listen(0, "127.0.0.1", () => resolve(undefined)));
  try {
    const address = stalled.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { everythingLaunch: good } = await import("../subjects/everything.mjs");
    const others = {
      silent: { command: process.execPath, args: ["-e", "setInterval(() => {}, 1e6)"] },
      stalled: { url: `http://127.0.0.1:${port}/mcp` },
    };
    const call = (/** @type {string} */ name, /** @type {object} */ servers) => {
      const config = join(folder, `${name}.json`);
      writeFileSync(config, JSON.stringify({ servers }));
      return [
        join(root, "apps/tacklebox/dist/main.js"),
        ...["call", "good", "echo", "--args", '{"message":"hello"}', "--config", config],
      ];
    };
    const alone = call("alone", { good });
    const beside = call("beside", { ...others, good });
    const env = { ...process.env, TACKLEBOX_DATA: join(folder, "data") };
    // The first start creates the data folder and fills the system's file cache.
    cpuOfStart(alone, env);
    cpuOfStart(beside, env);
    const times = quick ? 5 : 15;
    say(`${times} calls with two servers that never answer in the config, ${times} without`);
    const measure = (/** @type {readonly string[]} */ args) => {
      const since = performance.now();
      const cpu = cpuOfStart(args, env);
      return { cpu, ms: performance.now() - since };
    };
    const rounds = Array.from({ length: times }, () => ({ beside: measure(beside), alone: measure(alone) }));
    const mine = rounds.map((round) => round.beside.cpu);
    const reference = rounds.map((round) => round.alone.cpu);
    const mineMs = rounds.map((round) => round.beside.ms);
    const referenceMs = rounds.map((round) => round.alone.ms);
    return [
      {
        what: "call good echo: CPU that a silent stdio server and a stalled http server add",
        ours: inUnit(median(mine), "ms"),
        reference: `${inUnit(median(reference), "ms")} without them`,
        values: pair(mine, reference, (one, other) => one - other),
        unit: "ms",
        target: { is: "at most", bound: 50 },
      },
      {
        what: "call good echo beside them: from the command to its end",
        ours: inUnit(median(mineMs), "ms"),
        reference: `${inUnit(median(referenceMs), "ms")} without them`,
        values: ratios(mineMs, referenceMs),
        unit: "x",
        target: { is: "at most", bound: 1.5 },
      },
    ];
  } finally {
    stalled.closeAllConnections();
    stalled.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
