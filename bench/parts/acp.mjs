// @ts-check
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { startAgent } from "../measure/acp-client.mjs";
import { median, pair, ratios } from "../report/arithmetic.mjs";
import { inUnit } from "../report/table.mjs";
import { installAgents } from "../run/acp-agents.mjs";
import { bench, hostFile, root } from "../run/places.mjs";

/** @typedef {import("../measure/acp-client.mjs").AgentProgram} AgentProgram */

const CHUNKS = 20_000;

/**
 * Measures what an editor waits for: the answer to its first session/new, and streamed text.
 *
 * @param {import("./part.mjs").PartSettings} settings
 * @returns {Promise<import("../report/table.mjs").Row[]>}
 */
export async function run(settings) {
  const folder = mkdtempSync(join(settings.dataRoot, "acp-"));
  const stalled = await startStalled();
  try {
    return [
      ...(await measureStart(folder, stalled.url, settings)),
      ...(await measureChunks(folder, settings)),
      ...(settings.peers ? await comparePeers(folder, settings) : []),
    ];
  } finally {
    stalled.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {string} stalledUrl
 * @param {import("./part.mjs").PartSettings} settings
 */
async function measureStart(folder, stalledUrl, { quick, say }) {
  const mine = ourProgram(folder);
  const bare = nodeProgram("bare node", folder, [join(bench, "subjects/acp-bare.mjs")]);
  const stalled = [{ type: "http", name: "stalled", url: stalledUrl, headers: [] }];
  // The first start creates the data folder and fills the system's file cache.
  for (const program of [mine, bare]) await cpuUntilSession(program);
  const times = quick ? 5 : 15;
  say(`${times} starts of the agent, alone and with a stalled server, and of bare node`);
  /** @type {{ mine: number, bare: number, stalled: number }[]} */
  const rounds = [];
  for (let round = 0; round < times; round += 1) {
    rounds.push({
      mine: await cpuUntilSession(mine),
      bare: await cpuUntilSession(bare),
      stalled: await cpuUntilSession(mine, stalled),
    });
  }
  const ours = rounds.map((round) => round.mine);
  const reference = rounds.map((round) => round.bare);
  const withStalled = rounds.map((round) => round.stalled);
  return [
    {
      what: "acp: CPU from the start to the answer of session/new",
      ours: inUnit(median(ours), "ms"),
      reference: `${inUnit(median(reference), "ms")} bare node, same exchange`,
      values: ratios(ours, reference),
      unit: "x",
      target: { is: /** @type {const} */ ("at most"), bound: 2.5, aim: 2 },
    },
    {
      what: "acp: CPU that a stalled server adds to session/new, which does not wait for it",
      ours: inUnit(median(withStalled), "ms"),
      reference: `${inUnit(median(ours), "ms")} without it`,
      values: pair(withStalled, ours, (a, b) => a - b),
      unit: "ms",
      target: { is: /** @type {const} */ ("below"), bound: 50 },
    },
  ];
}

/**
 * @param {string} folder
 * @param {import("./part.mjs").PartSettings} settings
 */
async function measureChunks(folder, { rounds, say }) {
  const mine = nodeProgram("our door", folder, [join(hostFile, "../acp-chunks.js")]);
  const sdk = nodeProgram("raw SDK", folder, [join(bench, "subjects/acp-sdk-chunks.mjs")]);
  say(`${rounds} times ${CHUNKS} chunks by our door and by the raw SDK`);
  /** @type {number[]} */
  const ours = [];
  /** @type {number[]} */
  const theirs = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await chunkRate(mine));
    theirs.push(await chunkRate(sdk));
  }
  return [
    {
      what: `acp: ${CHUNKS} message chunks`,
      ours: inUnit(median(ours), "/s"),
      reference: `${inUnit(median(theirs), "/s")} raw SDK`,
      values: ratios(ours, theirs),
      unit: "x",
      target: { is: /** @type {const} */ ("at least"), bound: 0.7 },
    },
  ];
}

/**
 * @param {string} folder
 * @param {import("./part.mjs").PartSettings} settings
 */
async function comparePeers(folder, { dataRoot, quick, say }) {
  const peers = await installAgents(join(dataRoot, "acp-agents"), folder, say);
  const mine = ourProgram(folder);
  const rows = [];
  for (const peer of peers) {
    say(peer.name);
    try {
      const times = Array.from({ length: quick ? 1 : 3 });
      const theirs = [];
      const ours = [];
      for (const _ of times) {
        theirs.push(await cpuUntilSession(peer));
        ours.push(await cpuUntilSession(mine));
      }
      rows.push({
        what: `acp: CPU from the start to the answer of session/new, beside ${peer.name}`,
        ours: inUnit(median(ours), "ms"),
        reference: inUnit(median(theirs), "ms"),
        values: ratios(ours, theirs),
        unit: "x",
        target: { is: /** @type {const} */ ("below"), bound: 1 },
      });
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
      rows.push({ what: `acp: ${peer.name} did not run here`, ours: "", reference: "", values: [], unit: "" });
    }
  }
  return rows;
}

/**
 * @param {string} folder
 * @returns {AgentProgram}
 */
function ourProgram(folder) {
  return nodeProgram("tacklebox", folder, [join(root, "apps/tacklebox/dist/main.js"), "acp"]);
}

/**
 * @param {string} name
 * @param {string} folder
 * @param {readonly string[]} args
 * @returns {AgentProgram}
 */
function nodeProgram(name, folder, args) {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, TACKLEBOX_DATA: join(folder, "data") };
  return { name, command: process.execPath, args, cwd: folder, env };
}

/**
 * @param {AgentProgram} program
 * @param {readonly object[]} mcpServers
 */
async function cpuUntilSession(program, mcpServers = []) {
  const agent = startAgent(program);
  try {
    await openSession(agent, program, mcpServers);
    return agent.cpuMs();
  } finally {
    await agent.stop();
  }
}

/** @param {AgentProgram} program */
async function chunkRate(program) {
  const agent = startAgent(program);
  try {
    const { sessionId } = await openSession(agent, program, []);
    const prompt = (/** @type {number} */ count) =>
      agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: String(count) }] });
    await prompt(2_000);
    const before = agent.updates();
    const started = performance.now();
    await prompt(CHUNKS);
    const seconds = (performance.now() - started) / 1000;
    const received = agent.updates() - before;
    if (received < CHUNKS) throw new Error(`${program.name} sent ${received} of ${CHUNKS} chunks before its answer.`);
    return CHUNKS / seconds;
  } finally {
    await agent.stop();
  }
}

/**
 * @param {import("../measure/acp-client.mjs").AgentUnderTest} agent
 * @param {AgentProgram} program
 * @param {readonly object[]} mcpServers
 */
async function openSession(agent, { authenticate, cwd }, mcpServers) {
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  if (authenticate !== undefined) await agent.request("authenticate", { methodId: authenticate });
  return agent.request("session/new", { cwd, mcpServers });
}

/** Starts a server that accepts connections and never responds. */
async function startStalled() {
  const server = createServer(() => undefined);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
