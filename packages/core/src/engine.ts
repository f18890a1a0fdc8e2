import { type CallPorts, type CallScene, callTool } from "./call/call-tool.ts";
import { createLimiter } from "./call/slots/limiter.ts";
import { createRateMeter } from "./call/slots/rate-meter.ts";
import { createCatalog } from "./catalog/catalog.ts";
import { inventoryKey } from "./catalog/fingerprint.ts";
import { LOCAL_TOOLS } from "./catalog/local-tools.ts";
import { createLocalConnector } from "./connections/local-connector.ts";
import type { ManagedLink } from "./connections/server-link.ts";
import type { Engine, EngineConfig, ServerView, StartProblem, StartReport } from "./domain/engine.ts";
import type { EngineEvent, EventListener } from "./domain/events.ts";
import { createRedactor, secretsOf } from "./domain/redact.ts";
import type { ServerDefinition } from "./domain/server.ts";
import type { RegisteredTool } from "./domain/tool.ts";
import { callsInFlight } from "./engine/calls-in-flight.ts";
import { explainTool } from "./engine/explain-tool.ts";
import { createToolboxKeeper } from "./engine/keep-toolbox.ts";
import { createListedLink } from "./engine/listed-link.ts";
import { localServer, unknownLocalTools } from "./engine/local-server.ts";
import { saveInventories, startServers } from "./engine/start-servers.ts";
import type { Ports } from "./ports/ports.ts";

const DRAIN_MS = 10_000;
const CANCEL_GRACE_MS = 5_000;
const MAX_RESULT_CHARACTERS = 16 * 1024 * 1024;

/** The in-process engine: puts the parts together, holds no rules of its own. */
export function createEngine(config: EngineConfig, ports: Ports): Engine {
  const { clock, logger, store } = ports;
  const redact = createRedactor(config.servers.flatMap(secretsOf));
  const listeners = new Set<EventListener>();
  const catalog = createCatalog(ports.hasher);
  const links = new Map<string, ManagedLink>();
  const enabled = [...localServer(config.toolbox), ...config.servers.filter((server) => server.enabled)];
  const connectors = [
    createLocalConnector(
      LOCAL_TOOLS.filter(({ name }) => config.toolbox.local.includes(name)),
      clock,
    ),
    ...ports.connectors,
  ];
  const keeper = createToolboxKeeper(config, () => enabled, { catalog, logger, emit });
  const flight = callsInFlight(clock);
  let running = false;
  let stopping: Promise<void> | undefined;

  function emit(event: EngineEvent): void {
    // A copy each: what one listener does with it reaches neither the others nor us (T1.9).
    for (const listener of listeners) listener(structuredClone(event));
  }

  const callPorts: CallPorts = {
    ...ports,
    calls: store.calls,
    limiter: createLimiter(clock),
    rates: createRateMeter(clock),
    redact,
    emit,
    graceMs: CANCEL_GRACE_MS,
    maxResultCharacters: MAX_RESULT_CHARACTERS,
  };

  async function start(signal = new AbortController().signal): Promise<StartReport> {
    const recovered = await store.calls.recover();
    if (recovered > 0) logger.log("warn", `${recovered} calls of a process that died were marked interrupted`);
    for (const definition of enabled) {
      const inventory = await store.inventory.load(definition.scope, await inventoryKey(definition, ports.hasher));
      catalog.remember(definition, inventory);
      const listingChanged = () => {
        if (!running) return;
        keeper.refresh();
        catalog.settle(definition);
      };
      links.set(
        keyOf(definition),
        createListedLink(definition, inventory?.era, { connectors, clock, catalog, logger, emit, listingChanged }),
      );
    }
    const opened = [...links.values()];
    const unreachable = await startServers(opened, logger, redact, signal);
    const problems: StartProblem[] = [...unknownLocalTools(config.toolbox), ...unreachable, ...keeper.rebuild()];
    for (const { text } of problems) logger.log("error", text, { startProblem: true });
    if (problems.length === 0) await saveInventories(opened, catalog, store, logger);
    running = true;
    return { problems };
  }

  async function stop(drainMs = DRAIN_MS): Promise<void> {
    stopping ??= flight.drain(drainMs).then(async () => {
      await Promise.all([...links.values()].map((link) => link.close()));
    });
    return stopping;
  }

  async function trustTools(server: string, tool?: string): Promise<readonly string[]> {
    const link = [...links.values()].find(({ definition }) => definition.key === server);
    if (link === undefined) return [];
    const { scope } = link.definition;
    const changed = (catalog.listingOf(link.definition)?.tools ?? [])
      .map(({ name }) => name)
      .filter(
        (name) => (tool === undefined || name === tool) && catalog.pinOf({ scope, server, name }).kind === "changed",
      );
    for (const name of changed) catalog.agree({ scope, server, name });
    await saveInventories([link], catalog, store, logger);
    return changed;
  }

  function viewOf(definition: ServerDefinition): ServerView {
    const listing = catalog.listingOf(definition);
    const state = links.get(keyOf(definition))?.status() ?? { status: "disconnected" as const };
    return {
      definition,
      ...(definition.enabled ? state : { status: "disabled" }),
      ...("cause" in state && state.cause !== undefined && { cause: redact(state.cause) }),
      toolCount: [...keeper.current().tools.values()].filter(({ ref }) => keyOfRef(ref) === keyOf(definition)).length,
      quarantined: listing?.quarantined ?? [],
    };
  }

  function listViews(): ServerView[] {
    return [...localServer(config.toolbox), ...config.servers].map(viewOf);
  }

  const scene = (approvalMode: CallScene["approvalMode"]): CallScene => ({
    toolbox: keeper.current(),
    settings: config.toolbox,
    approvalMode,
    definitionOf: ({ ref }) => links.get(keyOfRef(ref))?.definition,
    linkTo: ({ ref }) => flight.guard(links.get(keyOfRef(ref))),
    pinOf: ({ ref }) => catalog.pinOf(ref),
  });

  return {
    start,
    stop,
    trustTools,
    listServers: async () => listViews(),
    listTools: async () => [...keeper.current().tools.values()],
    explainTool: async (name, server) =>
      explainTool(name, server, { toolbox: keeper.current(), settings: config.toolbox, catalog, servers: listViews() }),
    callTool: (request, { signal, onProgress, approvalMode = "auto" } = {}) =>
      flight.track(signal, (bounded) =>
        callTool(request, scene(approvalMode), callPorts, bounded, onProgress ?? (() => undefined)),
      ),
    listCalls: (query) => store.calls.list(query),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function keyOf({ scope, key }: ServerDefinition): string {
  return `${scope}/${key}`;
}

function keyOfRef({ scope, server }: RegisteredTool["ref"]): string {
  return `${scope}/${server}`;
}
