import {
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
  systemClock,
} from "@tacklebox/core";
import type { MessageRoom } from "@tacklebox/mcp/message-room";
import { ADVICE } from "./advice.ts";
import type { CommandEnvironment } from "./io.ts";
import { createLazyModels } from "./lazy-models.ts";
import { createLazyVault } from "./lazy-vault.ts";
import { nodeHasher } from "./node-hasher.ts";
import { type HostRefused, openStore } from "./open-store.ts";
import { openVault } from "./open-vault.ts";
import { createServerProcesses, type ServerProcesses } from "./orphans/server-processes.ts";
import { readSystemFacts } from "./process-table.ts";
import { newTimeOrderedId } from "./time-ordered-id.ts";
import { VERSION } from "./version.ts";

export interface OpenRequest {
  readonly config: EngineConfig;
  readonly dataFolder: string;
  /** The environment; servers started as child processes inherit a few of its variables. */
  readonly env: CommandEnvironment["env"];
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly knownSecrets: KnownSecrets;
  /** True when a person will see the questions of servers. Otherwise servers learn that no one can be asked. */
  readonly answersQuestions: boolean;
  /** True for a command that reads what is stored, and ends. */
  readonly readsOnly?: boolean;
}

export interface OpenedHost {
  readonly kind: "opened";
  readonly host: EngineHost;
  /** Closes the store and everything else the engine was given. Call it after host.stop(). */
  close(): Promise<void>;
}

export type OpenEngine = (request: OpenRequest) => Promise<OpenedHost | HostRefused>;

/** Builds the engine of this process. This is the only place that decides which adapter fills each port. */
export const composeEngine: OpenEngine = async (request) => {
  const { config, dataFolder, env, logger, metrics, knownSecrets, answersQuestions } = request;
  const opened = await openStore(dataFolder, {
    durability: config.calls?.durability,
    warn: (text) => logger.log("warn", text),
    readsOnly: request.readsOnly,
  });
  if (opened.kind === "refused") return opened;
  const { store } = opened;
  const processes = createServerProcesses(dataFolder, readSystemFacts());
  const { connectors, closeConnectors } = createConnectors(env, processes);
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
    advice: ADVICE,
    models: createLazyModels({ configured: config.models ?? [], env, vault, knownSecrets }),
    loadWordVectors,
    newId: newTimeOrderedId,
  });
  return {
    kind: "opened",
    host,
    async close() {
      closeConnectors();
      validator.close();
      await processes.close();
      await store.close();
    },
  };
};

/** Loaded lazily, because only searches need them. */
const loadWordVectors: LoadWordVectors = async () => {
  const { readWordVectors } = await import("./search/load-word-vectors.ts");
  return readWordVectors();
};

/** Loaded lazily, because few tools have a schema that needs a worker. */
const startWorker: StartValidationWorker = async () => {
  const { startValidationWorker, WORKER_FILE } = await import("./validation/start-worker.ts");
  return startValidationWorker(WORKER_FILE);
};

/** Every transport, each loaded by its first server: the MCP SDK takes most of the start-up time. */
function createConnectors(
  environment: CommandEnvironment["env"],
  { cookies, swept }: ServerProcesses,
): { connectors: readonly Connector[]; closeConnectors: () => void } {
  const clientInfo = { name: "tacklebox", version: VERSION };
  /** One for all transports, made by the first. */
  let room: Promise<MessageRoom> | undefined;
  const openRoom = () => {
    room ??= import("@tacklebox/mcp/message-room").then(({ createMessageRoom }) => createMessageRoom());
    return room;
  };
  const closing: (() => void)[] = [];
  const stdio = createLazyConnector(["stdio"], async () => {
    // What a killed program left behind may hold a port or a lock that the first server needs.
    const [{ createStdioConnector }] = await Promise.all([import("@tacklebox/mcp/node"), swept]);
    return createStdioConnector({ clientInfo, environment, cookies, room: await openRoom() });
  });
  const openExchange = async () => {
    const { createNodeExchange } = await import("@tacklebox/mcp/node-exchange");
    const exchange = createNodeExchange();
    closing.push(() => exchange.close());
    return exchange;
  };
  const http = createLazyConnector(["http", "streamable-http", "sse"], async () => {
    const [{ createHttpConnector }, exchange] = await Promise.all([import("@tacklebox/mcp"), openExchange()]);
    return createHttpConnector({ exchange, clientInfo, room: await openRoom(), advice: ADVICE });
  });
  const custom = createLazyConnector(["custom"], async () => {
    const [{ createCustomConnector }, exchange] = await Promise.all([import("@tacklebox/mcp/custom"), openExchange()]);
    return createCustomConnector({ exchange, room: await openRoom(), advice: ADVICE });
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
