// @ts-check
// npm run bench: every part, a table, and results.md. npm run bench -- stdio http: those parts, the table alone.
//   --quick    fewer and shorter rounds; results.md is left as it is
//   --peers    part acp: also installs other agents into a folder of their own (1 GB) and compares with them
//   --profile  also writes a CPU profile of each measured process to bench/dist/profiles
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { exitWith } from "../scripts/run.mjs";
import { describeMachine, toResults } from "./report/results.mjs";
import { toCells, toText } from "./report/table.mjs";
import { bench } from "./run/places.mjs";
import { buildOurs } from "./run/prepare.mjs";

/** @type {Record<string, () => Promise<{ run: (settings: import("./parts/part.mjs").PartSettings) => Promise<import("./report/table.mjs").Row[]> }>>} */
const PARTS = {
  stdio: () => import("./parts/stdio.mjs"),
  http: () => import("./parts/http.mjs"),
  disk: () => import("./parts/disk.mjs"),
  ready: () => import("./parts/ready.mjs"),
  named: () => import("./parts/named.mjs"),
  catalog: () => import("./parts/catalog.mjs"),
  start: () => import("./parts/start.mjs"),
  runs: () => import("./parts/runs.mjs"),
  chat: () => import("./parts/chat.mjs"),
  acp: () => import("./parts/acp.mjs"),
  search: () => import("./parts/search.mjs"),
  tokens: () => import("./parts/tokens.mjs"),
  peers: () => import("./parts/peers.mjs"),
};

await exitWith(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      peers: { type: "boolean", default: false },
      rounds: { type: "string" },
    },
  });
  const unknown = positionals.filter((name) => PARTS[name] === undefined);
  if (unknown.length > 0) throw new Error(`No part '${unknown.join(", ")}'. Parts: ${Object.keys(PARTS).join(", ")}`);
  const { quick, profile, peers } = values;
  const rounds = Number(values.rounds ?? (quick ? 2 : 5));
  if (!(rounds >= 1)) throw new Error(`--rounds takes a number from 1 on, not '${values.rounds}'.`);

  await buildOurs();
  const dataRoot = join(bench, "dist");
  mkdirSync(dataRoot, { recursive: true });
  const before = describeMachine();
  const chosen = positionals.length > 0 ? positionals : Object.keys(PARTS);
  const rows = [];
  let failed = 0;
  for (const name of chosen) {
    const say = (/** @type {string} */ line) => void process.stderr.write(`${name}: ${line}\n`);
    try {
      const part = await PARTS[name]?.();
      rows.push(...((await part?.run({ quick, profile, peers, rounds, dataRoot, say })) ?? []));
    } catch (error) {
      // One failing part must not lose what the others measured.
      failed += 1;
      say(error instanceof Error ? error.message : String(error));
      rows.push({ what: `${name}: could not be measured`, ours: "", reference: "", values: [], unit: "" });
    }
  }
  const cells = toCells(rows);
  process.stdout.write(`\n${toText(cells)}\n`);
  if (positionals.length > 0 || quick) return failed;
  const results = toResults({ cells, date: new Date().toISOString(), before, after: describeMachine(), rounds });
  writeFileSync(join(bench, "results.md"), results);
  return failed;
});
