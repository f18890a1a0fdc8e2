// @ts-check
import { median, ratios } from "../report/arithmetic.mjs";
import { inUnit } from "../report/table.mjs";
import { installPeers } from "../run/prepare.mjs";
import { figures, runRounds } from "../run/rounds.mjs";
import { measure, other, ours } from "../run/subject.mjs";

const OURS = "tacklebox";
const PEERS = [
  { name: "raw SDK v2", file: "raw-sdk.mjs" },
  { name: "raw SDK v1, sdk 1.32.2", file: "peer-sdk-1.mjs" },
  { name: "@ai-sdk/mcp 1.0.101", file: "peer-ai-sdk.mjs" },
  { name: "mcporter 0.8.1", file: "peer-mcporter.mjs" },
  { name: "@langchain/mcp-adapters 1.1.4", file: "peer-langchain.mjs" },
];

/**
 * Measures other clients on the same calls. None of them checks, limits or records calls, so this is only context.
 *
 * @param {import("./part.mjs").PartSettings} settings
 * @returns {Promise<import("../report/table.mjs").Row[]>}
 */
export async function run(settings) {
  const { quick, dataRoot, say } = settings;
  const missing = await installPeers();
  if (missing !== undefined) say(missing);
  const load = { callers: 64, warmUp: 3_000, calls: quick ? 3_000 : 8_000, singles: quick ? 300 : 1_000 };
  const { runnable, skipped } = await sort(PEERS, settings);
  const measured = await runRounds(
    [
      ours(OURS, "calls", { load, dataRoot, durability: "full" }),
      ...runnable.map(({ name, file }) => other(name, file, { load })),
    ],
    { ...settings, rounds: Math.min(settings.rounds, 3) },
  );
  const both = (/** @type {string} */ name) =>
    `${inUnit(median(figures(measured, name, "treeCpu")), "µs")}, p50 ${inUnit(median(figures(measured, name, "p50")), "ms")}`;
  return [
    ...runnable.map(({ name }) => ({
      what: `${name}: CPU of the process tree per call, and p50`,
      ours: both(OURS),
      reference: both(name),
      values: ratios(figures(measured, OURS, "treeCpu"), figures(measured, name, "treeCpu")),
      unit: "x",
    })),
    ...skipped.map((name) => ({
      what: `${name}: skipped, it did not run here`,
      ours: "",
      reference: "",
      values: [],
      unit: "",
    })),
  ];
}

/**
 * A peer that is not installed, or that this Node cannot run, must not end the whole run.
 *
 * @param {readonly { name: string, file: string }[]} peers
 * @param {import("./part.mjs").PartSettings} settings
 */
async function sort(peers, { say }) {
  const load = { callers: 1, warmUp: 1, calls: 1, singles: 1 };
  const runnable = [];
  const skipped = [];
  for (const peer of peers) {
    try {
      await measure(other(peer.name, peer.file, { load }), { profile: false });
      runnable.push(peer);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
      skipped.push(peer.name);
    }
  }
  return { runnable, skipped };
}
