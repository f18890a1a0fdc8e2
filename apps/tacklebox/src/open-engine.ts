import { randomUUID } from "node:crypto";
import { join } from "node:path";
import {
  type CallLogSettings,
  type Connector,
  createEngine,
  createValidator,
  type EngineConfig,
  type EngineHost,
  type KnownSecrets,
  type LoadWordVectors,
  type Logger,
  type Metrics,
  type StartValidationWorker,
  StoreError,
  systemClock,
} from "@tacklebox/core";
import type { SqliteStore } from "@tacklebox/storage/sqlite";
import type { CommandEnvironment } from "./io.ts";
import { createLazyModels } from "./lazy-models.ts";
import { createLazyVault } from "./lazy-vault.ts";
import { nodeHasher } from "./node-hasher.ts";
import { openVault } from "./open-vault.ts";
import { createOwner, isOwnerAlive } from "./owner.ts";
import { createTimeOrderedId } from "./time-ordered-id.ts";
import { VERSION } from "./version.ts";

export interface OpenRequest {
  readonly config: EngineConfig;
  readonly dataFolder: string;
  /** Of which servers that are child processes inherit a few variables. */
  readonly env: CommandEnvironment["env"];
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly knownSecrets: KnownSecrets;
  /** Somebody sees what servers ask. Otherwise they are told that nobody can be asked. */
  readonly answersQuestions: boolean;
}

export interface OpenedHost {
  readonly kind: "opened";
  readonly host: EngineHost;
  /** Releases what the engine was given. To be called after host.stop(). */
  close(): Promise<void>;
}

export interface HostRefused {
  readonly kind: "refused";
  readonly message: string;
}

export type OpenEngine = (request: OpenRequest) => Promise<OpenedHost | HostRefused>;

export interface OpenedStore {
  readonly kind: "opened";
  readonly store: SqliteStore;
  readonly owner: string;
}

const SYNCHRONOUS = { full: "FULL", normal: "NORMAL" } as const;

export function callLogFile(dataFolder: string): string {
  return join(dataFolder, "tacklebox.db");
}

export async function openStore(
  dataFolder: string,
  durability: CallLogSettings["durability"] = "full",
): Promise<OpenedStore | HostRefused> {
  const { openSqliteStore } = await import("@tacklebox/storage/sqlite");
  const owner = createOwner(process.pid, randomUUID());
  const file = callLogFile(dataFolder);
  try {
    const store = await openSqliteStore({
      file,
      owner,
      isOwnerAlive: (other) => isOwnerAlive(other),
      now: Date.now,
      synchronous: SYNCHRONOUS[durability],
    });
    return { kind: "opened", store, owner };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const message = `${error.message}\nThe data folder is ${dataFolder}; TACKLEBOX_DATA names another.`;
    return { kind: "refused", message };
  }
}

/** Builds the engine of this process: which adapter stands behind each port is decided here and nowhere else. */
export const composeEngine: OpenEngine = async (request) => {
  const { config, dataFolder, env, logger, metrics, knownSecrets, answersQuestions } = request;
  const opened = await openStore(dataFolder, config.calls?.durability);
  if (opened.kind === "refused") return opened;
  const { store, owner } = opened;
  const { connectors, closeConnectors } = createConnectors(env);
  const validator = createValidator({ clock: systemClock, startWorker });
  const vault = createLazyVault(() => openVault(dataFolder, store.secrets, env));
  const host = createEngine(config, {
    connectors,
    store,
    validator,
    hasher: nodeHasher,
    metrics,
    clock: systemClock,
    logger,
    knownSecrets,
    vault,
    answersQuestions,
    models: createLazyModels({ configured: config.models ?? [], env, vault, knownSecrets }),
    loadWordVectors,
    newId: () => createTimeOrderedId(Date.now(), randomUUID()),
    owner,
  });
  return {
    kind: "opened",
    host,
    async close() {
      closeConnectors();
      validator.close();
      await store.close();
    },
  };
};

/** Only searching needs them. */
const loadWordVectors: LoadWordVectors = async () => {
  const { readWordVectors } = await import("./search/load-word-vectors.ts");
  return readWordVectors();
};

/** Few tools have a schema that needs it. */
const startWorker: StartValidationWorker = async () => {
  const { startValidationWorker, WORKER_FILE } = await import("./validation/start-worker.ts");
  return startValidationWorker(WORKER_FILE);
};

/** Every transport, each loaded by its first server: the MCP SDK is most of the start-up time, and a reload may bring any. */
function createConnectors(environment: CommandEnvironment["env"]): {
  connectors: readonly Connector[];
  closeConnectors: () => void;
} {
  const clientInfo = { name: "tacklebox", version: VERSION };
  const closing: (() => void)[] = [];
  const stdio = createLazyConnector(["stdio"], async () => {
    const { createStdioConnector } = await import("@tacklebox/mcp/node");
    return createStdioConnector({ clientInfo, environment });
  });
  const openExchange = async () => {
    const { createNodeExchange } = await import("@tacklebox/mcp/node-exchange");
    const exchange = createNodeExchange();
    closing.push(() => exchange.close());
    return exchange;
  };
  const http = createLazyConnector(["http", "streamable-http", "sse"], async () => {
    const [{ createHttpConnector }, exchange] = await Promise.all([import("@tacklebox/mcp"), openExchange()]);
    return createHttpConnector({ exchange, clientInfo });
  });
  const custom = createLazyConnector(["custom"], async () => {
    const [{ createCustomConnector }, exchange] = await Promise.all([import("@tacklebox/mcp/custom"), openExchange()]);
    return createCustomConnector({ exchange });
  });
  return {
    connectors: [stdio, http, custom],
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
