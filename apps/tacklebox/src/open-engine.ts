import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Connector, Engine, EngineConfig, KnownSecrets, Logger, Metrics } from "@tacklebox/core";
import type { SqliteStore } from "@tacklebox/storage/sqlite";
import type { Surroundings } from "./io.ts";
import { createLazyVault } from "./lazy-vault.ts";
import { openVault } from "./open-vault.ts";
import { createOwner, isOwnerAlive } from "./owner.ts";
import { VERSION } from "./version.ts";

export interface OpenRequest {
  readonly config: EngineConfig;
  readonly dataFolder: string;
  /** Of which servers that are child processes inherit a few variables. */
  readonly env: Surroundings["env"];
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly knownSecrets: KnownSecrets;
}

export interface OpenedEngine {
  readonly kind: "opened";
  readonly engine: Engine;
  /** Releases what the engine was given. To be called after engine.stop(). */
  close(): Promise<void>;
}

export interface OpenRefused {
  readonly kind: "refused";
  readonly message: string;
}

export type OpenEngine = (request: OpenRequest) => Promise<OpenedEngine | OpenRefused>;

export interface OpenedStore {
  readonly kind: "opened";
  readonly store: SqliteStore;
  readonly owner: string;
}

export function callLogFile(dataFolder: string): string {
  return join(dataFolder, "tacklebox.db");
}

export async function openStore(dataFolder: string): Promise<OpenedStore | OpenRefused> {
  const { openSqliteStore, StoreError } = await import("@tacklebox/storage/sqlite");
  const owner = createOwner(process.pid, randomUUID());
  const file = callLogFile(dataFolder);
  try {
    const store = await openSqliteStore({ file, owner, isOwnerAlive: (other) => isOwnerAlive(other), now: Date.now });
    return { kind: "opened", store, owner };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const message = `${error.message}\nThe data folder is ${dataFolder}; TACKLEBOX_DATA names another.`;
    return { kind: "refused", message };
  }
}

/** Builds the engine of this process: which adapter stands behind each port is decided here and nowhere else. */
export const openEngine: OpenEngine = async ({ config, dataFolder, env, logger, metrics, knownSecrets }) => {
  const core = await import("@tacklebox/core");
  const opened = await openStore(dataFolder);
  if (opened.kind === "refused") return opened;
  const { store, owner } = opened;
  const { connectors, closeConnectors } = createConnectors(env);
  const engine = core.createEngine(config, {
    connectors,
    store,
    approver: core.headlessApprover,
    validator: core.inlineValidator,
    hasher: core.webHasher,
    metrics,
    clock: core.systemClock,
    logger,
    knownSecrets,
    vault: createLazyVault(() => openVault(dataFolder, store.secrets, env)),
    newId: randomUUID,
    owner,
  });
  return {
    kind: "opened",
    engine,
    async close() {
      closeConnectors();
      await store.close();
    },
  };
};

/** Every transport, each loaded by its first server: the MCP SDK is most of the start-up time, and a reload may bring any. */
function createConnectors(environment: Surroundings["env"]): {
  connectors: readonly Connector[];
  closeConnectors: () => void;
} {
  const clientInfo = { name: "tacklebox", version: VERSION };
  const closing: (() => void)[] = [];
  const stdio = createLazyConnector(["stdio"], async () => {
    const { createStdioConnector } = await import("@tacklebox/mcp/node");
    return createStdioConnector({ clientInfo, environment });
  });
  const http = createLazyConnector(["http", "streamable-http", "sse"], async () => {
    const [{ createHttpConnector }, { createNodeExchange }] = await Promise.all([
      import("@tacklebox/mcp"),
      import("@tacklebox/mcp/node"),
    ]);
    const exchange = createNodeExchange();
    closing.push(() => exchange.close());
    return createHttpConnector({ exchange, clientInfo });
  });
  return {
    connectors: [stdio, http],
    closeConnectors() {
      for (const close of closing) close();
    },
  };
}

function createLazyConnector(transports: Connector["transports"], load: () => Promise<Connector>): Connector {
  let loaded: Promise<Connector> | undefined;
  return {
    transports,
    async open(definition, options, signal) {
      loaded ??= load();
      return (await loaded).open(definition, options, signal);
    },
  };
}
