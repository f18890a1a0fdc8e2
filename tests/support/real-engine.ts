import { join } from "node:path";
import {
  createEngine,
  createKnownSecrets,
  createValidator,
  type EngineConfig,
  type EngineHost,
  type Logger,
  systemClock,
  webHasher,
} from "@tacklebox/core";
import { allAlive, createScriptedModel, type ScriptedTurn, scriptedModels, testMember } from "@tacklebox/core/testing";
import { createHttpConnector } from "@tacklebox/mcp";
import { createStdioConnector } from "@tacklebox/mcp/node";
import { createNodeExchange } from "@tacklebox/mcp/node-exchange";
import { openSqliteStore } from "@tacklebox/storage/sqlite";
import { releaseAfterwards } from "./release.ts";

export interface RealEngineOptions {
  /** The turns of its scripted model. */
  readonly turns?: readonly ScriptedTurn[];
  readonly logger?: Logger;
}

/**
 * Opens, but does not start, an engine in this process with real adapters except for the model. Its store is in the
 * folder.
 */
export async function openRealEngine(
  folder: string,
  config: EngineConfig,
  { turns = [], logger = { log: () => undefined } }: RealEngineOptions = {},
): Promise<EngineHost> {
  const file = join(folder, "tacklebox.db");
  const store = await openSqliteStore({ file, member: testMember(), processes: allAlive, now: Date.now });
  const clientInfo = { name: "tacklebox-test", version: "1.0.0" };
  const validator = createValidator({ clock: systemClock });
  const exchange = createNodeExchange();
  const host = createEngine(config, {
    connectors: [
      createStdioConnector({ clientInfo, environment: process.env }),
      createHttpConnector({ exchange, clientInfo }),
    ],
    store,
    validator,
    hasher: webHasher,
    metrics: { toolUsed: () => undefined, callEnded: () => undefined },
    clock: systemClock,
    logger,
    knownSecrets: createKnownSecrets(),
    newId: () => crypto.randomUUID(),
    models: scriptedModels(createScriptedModel(turns)),
  });
  releaseAfterwards(async () => {
    await host.stop(0);
    exchange.close();
    validator.close();
    await store.close();
  });
  return host;
}
