// @ts-check
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cpuOfStart } from "../measure/cpu-of-start.mjs";
import { median, ratios } from "../report/arithmetic.mjs";
import { inUnit } from "../report/table.mjs";
import { root } from "../run/places.mjs";

/**
 * Measures the cost of starting the program for a command that has nothing to do.
 *
 * @param {import("./part.mjs").PartSettings} settings
 * @returns {Promise<import("../report/table.mjs").Row[]>}
 */
export async function run({ quick, dataRoot, say }) {
  const folder = mkdtempSync(join(dataRoot, "start-"));
  try {
    const config = join(folder, "tacklebox.yaml");
    writeFileSync(config, "servers: {}\n");
    const env = { ...process.env, TACKLEBOX_DATA: join(folder, "data") };
    const program = [join(root, "apps/tacklebox/dist/main.js"), "tools", "--json", "--config", config];
    const bare = ["-e", "0"];
    // The first start creates the data folder and fills the system's file cache.
    cpuOfStart(program, env);
    cpuOfStart(bare, env);
    const times = quick ? 5 : 15;
    say(`${times} starts of the program, ${times} of bare node`);
    const rounds = Array.from({ length: times }, () => ({
      mine: cpuOfStart(program, env),
      node: cpuOfStart(bare, env),
    }));
    const mine = rounds.map((round) => round.mine);
    const node = rounds.map((round) => round.node);
    return [
      {
        what: "tools --json on an empty config: CPU of the process",
        ours: inUnit(median(mine), "ms"),
        reference: `${inUnit(median(node), "ms")} node -e 0`,
        values: ratios(mine, node),
        unit: "x",
        target: { is: "at most", bound: 2.5 },
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
