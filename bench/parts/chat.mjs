// @ts-check
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cpuOfStart } from "../measure/cpu-of-start.mjs";
import { startOnTerminal } from "../measure/on-terminal.mjs";
import { median, ratios } from "../report/arithmetic.mjs";
import { inUnit } from "../report/table.mjs";
import { root } from "../run/places.mjs";
import { figures, runRounds } from "../run/rounds.mjs";
import { ours } from "../run/subject.mjs";

const PIECES = 5_000;

/**
 * Measures what a person waits for: a prompt to type at, and streamed text.
 *
 * @param {import("./part.mjs").PartSettings} settings
 * @returns {Promise<import("../report/table.mjs").Row[]>}
 */
export async function run(settings) {
  const measured = await runRounds([ours("chat", "chat", { pieces: PIECES })], settings);
  const shown = figures(measured, "chat", "cpuMs");
  return [
    await measureReady(settings),
    {
      what: `chat: CPU of showing ${PIECES} pieces of text that a model streams`,
      ours: inUnit(median(shown), "ms"),
      reference: "",
      values: shown,
      unit: "ms",
      target: { is: "below", bound: 300 },
    },
  ];
}

/**
 * @param {import("./part.mjs").PartSettings} settings
 * @returns {Promise<import("../report/table.mjs").Row>}
 */
async function measureReady({ quick, dataRoot, say }) {
  const folder = mkdtempSync(join(dataRoot, "chat-"));
  // Extra certificates slow every start of Node: they would make bare node look slow, and us good by comparison.
  const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...rest } = process.env;
  const env = { ...rest, TACKLEBOX_DATA: join(folder, "data"), HOME: folder };
  const chat = [join(root, "apps/tacklebox/dist/main.js"), "chat", "--config", join(root, "examples/quickstart.yaml")];
  const cpuUntilPrompt = async () => {
    const program = await startOnTerminal(chat, env);
    try {
      return await program.cpuWhen("› ");
    } finally {
      await program.close();
    }
  };
  try {
    await cpuUntilPrompt();
    const times = quick ? 5 : 15;
    say(`${times} starts of the chat, ${times} of bare node`);
    const mine = [];
    const node = [];
    for (let round = 0; round < times; round += 1) {
      mine.push(await cpuUntilPrompt());
      node.push(cpuOfStart(["-e", "0"], env));
    }
    return {
      what: "chat: CPU from the start until one can type; two servers connect behind it",
      ours: inUnit(median(mine), "ms"),
      reference: `${inUnit(median(node), "ms")} node -e 0`,
      values: ratios(mine, node),
      unit: "x",
      target: { is: "at most", bound: 4 },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
