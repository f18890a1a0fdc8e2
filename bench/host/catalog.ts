import { nodeHasher } from "../../apps/tacklebox/src/node-hasher.ts";
import { resolveTool } from "../../packages/core/src/call/steps/resolve-tool.ts";
import { createCatalog } from "../../packages/core/src/catalog/catalog.ts";
import { parseToolList } from "../../packages/core/src/catalog/parse-tool-list.ts";
import type { CallFailure, EngineConfig, Toolbox } from "../../packages/core/src/index.ts";
import { createKnownSecrets } from "../../packages/core/src/secrets/known-secrets.ts";
import { createScriptedConnector } from "../../packages/core/src/testing/scripted-connector.ts";
import { createToolboxKeeper } from "../../packages/core/src/toolbox/keep-toolbox.ts";
import { cpuBetween, readCpu } from "../measure/tree-cpu.mjs";
import { openScripted, readConfig } from "./governed-engine.ts";

export interface CatalogOptions {
  readonly dataRoot: string;
  readonly servers: number;
  readonly toolsPerServer: number;
}

/** Measures the start of an engine whose tools cost nothing to fetch. */
export async function measureStart({ dataRoot, servers, toolsPerServer }: CatalogOptions) {
  const config = toConfig(servers);
  const connector = createScriptedConnector(["stdio"]);
  for (const [index, { key }] of config.servers.entries()) {
    const text = JSON.stringify(toolEntries(index, toolsPerServer));
    // Parsed on request, as a real list is, so that whatever the engine keeps of it counts towards the engine's heap.
    connector.server(key).offers = { listTools: async () => ({ entries: JSON.parse(text) }) };
  }
  const { host, engine, close } = await openScripted(config, dataRoot, connector);
  const heapBefore = heapUsed();
  const cpuBefore = readCpu();
  const startedAt = performance.now();
  await host.start();
  const ms = performance.now() - startedAt;
  const { own } = cpuBetween(cpuBefore, readCpu());
  const heapMb = (heapUsed() - heapBefore) / 1024 / 1024;
  const { length } = await engine.tools.list();
  if (length !== servers * toolsPerServer) throw new Error(`${length} tools were registered.`);
  await close();
  return { ms, cpuMs: own / 1000, heapMb };
}

/** Measures, in microseconds, how long it takes to find a tool by its shown name, and by its server and raw name. */
export async function measureResolve({ servers, toolsPerServer }: CatalogOptions) {
  const config = toConfig(servers);
  const toolbox = await buildToolbox(config, toolsPerServer);
  const [definition] = config.servers;
  const absence: CallFailure = { ending: "unknown-tool", message: "It was not found." };
  const deps = { toolbox, definitionOf: () => definition, absenceOf: () => absence };
  // Always 100 tools, however large the toolbox: this measures the lookup, not how much fits into the processor's
  // cache.
  const all = [...toolbox.tools.values()];
  const tools = Array.from({ length: 100 }, (_, index) => all[Math.floor((index * all.length) / 100)]);
  const timeLookups = (withServer: boolean, times: number) => {
    const startedAt = performance.now();
    for (let index = 0; index < times; index += 1) {
      const sought = tools[index % tools.length];
      if (sought === undefined) throw new Error("There are no tools.");
      const { server, name } = sought.ref;
      const request = withServer ? { tool: name, server, arguments: {} } : { tool: sought.shownName, arguments: {} };
      if (resolveTool(request, deps).kind !== "resolved") throw new Error(`${name} was not found.`);
    }
    return ((performance.now() - startedAt) * 1000) / times;
  };
  return { byName: fastestOf(() => timeLookups(false, 20_000)), byServer: fastestOf(() => timeLookups(true, 20_000)) };
}

/** Takes the best of 20: the first rounds warm up, and any may be interrupted. */
function fastestOf(measure: () => number): number {
  return Math.min(...Array.from({ length: 20 }, measure));
}

async function buildToolbox(config: EngineConfig, toolsPerServer: number): Promise<Toolbox> {
  const knownSecrets = createKnownSecrets();
  const catalog = createCatalog(nodeHasher, knownSecrets);
  const { redact } = knownSecrets;
  const configured = () => config.servers;
  const logger = { log: () => undefined };
  const clock = { monotonic: () => performance.now() };
  const deps = { catalog, logger, clock, emit: () => undefined, redact, isConfigured: () => true, configured };
  const keeper = createToolboxKeeper(() => config.toolbox, configured, deps);
  for (const [index, definition] of config.servers.entries())
    await catalog.setListing(definition, parseToolList(toolEntries(index, toolsPerServer)));
  keeper.rebuild();
  return keeper.current();
}

function toConfig(servers: number): EngineConfig {
  const named = Array.from({ length: servers }, (_, index) => [`server-${index}`, { command: "none" }] as const);
  return readConfig({ servers: Object.fromEntries(named) });
}

/** Every third raw name has a dot, which model APIs do not allow, so its shown name differs. */
function toolEntries(server: number, count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => ({
    name: index % 3 === 0 ? `area_${server}.action_${index}` : `area_${server}_action_${index}`,
    title: `Action ${index}`,
    description: `Looks up record ${index} of area ${server} and returns what is known about it, newest first, as text that a model can read.`,
    inputSchema: {
      type: "object",
      properties: {
        id: { type: "string", description: "Which record to look up", minLength: 1 },
        limit: { type: "integer", minimum: 1, maximum: 100, description: "How many entries to return at most" },
        order: { type: "string", enum: ["newest", "oldest"] },
      },
      required: ["id"],
    },
    annotations: { readOnlyHint: true },
  }));
}

function heapUsed(): number {
  if (globalThis.gc === undefined) throw new Error("The heap can only be measured with --expose-gc.");
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
