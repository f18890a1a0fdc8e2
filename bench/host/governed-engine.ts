import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { composeEngine } from "../../apps/tacklebox/src/compose-engine.ts";
import { createLogger } from "../../apps/tacklebox/src/logs.ts";
import { noMetrics } from "../../apps/tacklebox/src/metrics.ts";
import { nodeHasher } from "../../apps/tacklebox/src/node-hasher.ts";
import { openStore } from "../../apps/tacklebox/src/open-store.ts";
import * as core from "../../packages/core/src/index.ts";

export interface Governed {
  readonly host: core.EngineHost;
  readonly engine: core.Engine;
  close(): Promise<void>;
}

/** Parses a config as people write it, so that every default is the program's own. */
export function readConfig(written: unknown): core.EngineConfig {
  const parsed = core.parseConfig(JSON.stringify(written), { file: "bench.json", env: process.env });
  if (parsed.kind === "ok") return { ...parsed.config, calls: parsed.calls };
  throw new Error(parsed.problems.map(core.formatConfigProblem).join("\n"));
}

/** Opens the engine exactly as the program composes it, on a data folder of its own. */
export async function openGoverned(config: core.EngineConfig, dataRoot: string): Promise<Governed> {
  const { folder, remove } = createDataFolder(dataRoot);
  const knownSecrets = core.createKnownSecrets();
  knownSecrets.add(config.servers.flatMap(core.secretsOf));
  const logger = createLogger({
    format: "text",
    startProblems: "logged",
    level: "warn",
    write: (line) => void process.stderr.write(line),
    redact: knownSecrets.redact,
    now: Date.now,
  });
  const opened = await composeEngine({
    config,
    dataFolder: folder,
    env: process.env,
    logger,
    metrics: noMetrics,
    knownSecrets,
    answersQuestions: false,
  });
  if (opened.kind === "refused") throw new Error(opened.message);
  const { host } = opened;
  return {
    host,
    engine: host.engine,
    async close() {
      await host.stop(0);
      await opened.close();
      remove();
    },
  };
}

/** Opens an engine on the real store with servers that cost nothing, so that only the engine's own work is measured. */
export async function openScripted(
  config: core.EngineConfig,
  dataRoot: string,
  connector: core.Connector,
  models?: core.Models,
): Promise<Governed & { readonly store: core.Store }> {
  const { folder, remove } = createDataFolder(dataRoot);
  const opened = await openStore(folder);
  if (opened.kind === "refused") throw new Error(opened.message);
  const { store } = opened;
  const host = core.createEngine(config, {
    connectors: [connector],
    store,
    validator: core.createValidator({ clock: core.systemClock }),
    hasher: nodeHasher,
    metrics: noMetrics,
    clock: core.systemClock,
    logger: { log: () => undefined },
    knownSecrets: core.createKnownSecrets(),
    newId: randomUUID,
    ...(models !== undefined && { models }),
  });
  return {
    host,
    engine: host.engine,
    store,
    async close() {
      await host.stop(0);
      await store.close();
      remove();
    },
  };
}

/** Avoids the system's temporary folder, which may be in memory, where a commit costs nothing. */
export function createDataFolder(dataRoot: string): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(dataRoot, "data-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
