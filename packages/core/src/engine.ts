import { type CallPorts, type CallScene, callTool } from "./call/call-tool.ts";
import { createLimiter } from "./call/slots/limiter.ts";
import { createRateMeter } from "./call/slots/rate-meter.ts";
import { createCatalog } from "./catalog/catalog.ts";
import { LOCAL_TOOLS } from "./catalog/local-tools.ts";
import { createLocalConnector } from "./connections/local-connector.ts";
import type { ManagedLink, ServerSideOptions } from "./connections/server-link.ts";
import type { CallFailure, Ending } from "./domain/call.ts";
import { endingOf } from "./domain/connection.ts";
import type {
  Answer,
  Engine,
  EngineConfig,
  ReloadReport,
  ServerView,
  StartProblem,
  StartReport,
} from "./domain/engine.ts";
import type { EngineEvent, EventListener } from "./domain/events.ts";
import { secretsOf } from "./domain/redact.ts";
import type { Era, ServerDefinition } from "./domain/server.ts";
import { callsInFlight } from "./engine/calls-in-flight.ts";
import { describeChanges } from "./engine/describe-changes.ts";
import { explainTool } from "./engine/explain-tool.ts";
import { fetchPrompts } from "./engine/fetch-prompts.ts";
import { createToolboxKeeper } from "./engine/keep-toolbox.ts";
import { createListedLink } from "./engine/listed-link.ts";
import { localServer, unknownLocalTools } from "./engine/local-server.ts";
import { createOffers } from "./engine/offers.ts";
import { createServers, type ServerChange, type ServerEntry } from "./engine/servers.ts";
import { openEntry, saveInventories, startServers } from "./engine/start-servers.ts";
import type { Ports } from "./ports/ports.ts";

const DRAIN_MS = 10_000;
const CANCEL_GRACE_MS = 5_000;
const MAX_RESULT_CHARACTERS = 16 * 1024 * 1024;

/** The in-process engine: puts the parts together, holds no rules of its own. */
export function createEngine(initial: EngineConfig, ports: Ports): Engine {
  const { clock, logger, store, knownSecrets } = ports;
  const { redact } = knownSecrets;
  const listeners = new Set<EventListener>();
  const catalog = createCatalog(ports.hasher);
  const servers = createServers({ catalog, hasher: ports.hasher, store, createLink });
  const keeper = createToolboxKeeper(() => config.toolbox, enabledDefinitions, { catalog, logger, emit });
  const flight = callsInFlight(clock);
  const offers = createOffers({ servers: servers.list, redact, guard: flight.guard });
  let config = initial;
  let running = false;
  let hasStarted: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    hasStarted = resolve;
  });
  let stopping: Promise<void> | undefined;
  let changing: Promise<unknown> = Promise.resolve();

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

  function createLink(definition: ServerDefinition, knownEra: Era | undefined): ManagedLink {
    return createListedLink(definition, knownEra, {
      connectors: [createLocalConnector(LOCAL_TOOLS, clock), ...ports.connectors],
      clock,
      vault: ports.vault,
      knownSecrets,
      catalog,
      logger,
      emit,
      openOptions,
      started,
      place: ports.place,
      opened: (connection) => offers.reopened(definition.key, connection),
      listingChanged: () => {
        if (!running) return;
        keeper.refresh();
        catalog.settle(definition);
      },
    });
  }

  function openOptions(definition: ServerDefinition): ServerSideOptions {
    const { elicitor, roots } = ports;
    const server = definition.key;
    return {
      onOffersChanged: (what) => emit({ type: "offers-changed", server, what }),
      onResourceUpdated: (uri) => emit({ type: "resource-updated", server, uri }),
      ...(elicitor !== undefined && { elicit: (request, signal) => elicitor.ask({ ...request, server }, signal) }),
      ...(roots !== undefined && { roots: () => roots.list(definition) }),
    };
  }

  function enabledDefinitions(): readonly ServerDefinition[] {
    return servers.list().flatMap(({ definition, link }) => (link === undefined ? [] : [definition]));
  }

  function allServers(next: EngineConfig): readonly ServerDefinition[] {
    return [...localServer(next.toolbox), ...next.servers];
  }

  async function start(signal = new AbortController().signal): Promise<StartReport> {
    const recovered = await store.calls.recover();
    if (recovered > 0) logger.log("warn", `Calls of a process that died, now marked interrupted: ${recovered}`);
    knownSecrets.add(config.servers.flatMap(secretsOf));
    await servers.become(allServers(config));
    const unreachable = await startServers(servers.list(), logger, redact, signal);
    await fetchPrompts(servers.list(), { logger, redact, clock }, signal);
    const problems: StartProblem[] = [...unknownLocalTools(config.toolbox), ...unreachable, ...keeper.rebuild()];
    for (const { text } of problems) logger.log("error", text, { startProblem: true });
    if (problems.length === 0) await saveInventories(servers.list(), catalog, store, logger);
    running = true;
    hasStarted();
    return { problems };
  }

  /** Changes of the set of servers happen one after the other: two at once could each undo the other's. */
  function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const result = changing.then(change, change);
    changing = result.catch(() => undefined);
    return result;
  }

  async function become(next: EngineConfig): Promise<ReloadReport> {
    const before = config.toolbox;
    knownSecrets.add(next.servers.flatMap(secretsOf));
    config = next;
    const changed = await servers.become(allServers(next));
    sayGone(changed);
    const fresh = changed.filter(({ kind }) => kind === "added" || kind === "reconnected");
    const opened = fresh.flatMap(({ definition }) => servers.find(definition.scope, definition.key) ?? []);
    const unreachable = await startServers(opened, logger, redact, never);
    await fetchPrompts(opened, { logger, redact, clock }, never);
    keeper.refresh();
    await saveInventories(opened, catalog, store, logger);
    const changes = describeChanges(changed, before, next.toolbox);
    for (const line of changes) logger.log("info", line);
    if (changes.length > 0) emit({ type: "config-changed", changes });
    const problems = [...unknownLocalTools(next.toolbox), ...unreachable];
    for (const { text } of problems) logger.log("error", text);
    return { changes, problems };
  }

  /** A server that is gone has no link left to say so. */
  function sayGone(changes: readonly ServerChange[]): void {
    for (const { kind, definition } of changes) {
      if (kind !== "removed" && definition.enabled) continue;
      emit({ type: "connection-changed", scope: definition.scope, server: definition.key, status: "disconnected" });
    }
  }

  function withServer(definition: ServerDefinition): EngineConfig {
    const others = config.servers.filter(({ scope, key }) => scope !== definition.scope || key !== definition.key);
    return { ...config, servers: [...others, definition] };
  }

  async function addServer(definition: ServerDefinition): Promise<void> {
    knownSecrets.add(secretsOf(definition));
    config = withServer(definition);
    sayGone(await servers.become(allServers(config)));
    keeper.refresh();
  }

  async function removeServer(scope: string, key: string): Promise<boolean> {
    const left = config.servers.filter((server) => server.scope !== scope || server.key !== key);
    if (left.length === config.servers.length) return false;
    config = { ...config, servers: left };
    sayGone(await servers.become(allServers(config)));
    keeper.refresh();
    return true;
  }

  async function connectServer(key: string, signal = new AbortController().signal): Promise<Answer<ServerView>> {
    const entry = servers.named(key);
    if (entry === undefined) return refused(`There is no server '${key}'`);
    if (entry.link === undefined) return refused(`Server '${key}' is disabled. Enable it first`);
    running = true;
    hasStarted();
    const failure = await openEntry(entry, signal);
    keeper.refresh();
    if (failure !== undefined) return refused(redact(failure.message), endingOf(failure));
    return { kind: "ok", value: viewOf(entry) };
  }

  async function disconnectServer(key: string): Promise<boolean> {
    const link = servers.named(key)?.link;
    await link?.close();
    return link !== undefined;
  }

  async function stop(drainMs = DRAIN_MS): Promise<void> {
    stopping ??= flight.drain(drainMs).then(async () => {
      await Promise.all([...servers.list().map(({ link }) => link?.close()), servers.settled()]);
    });
    return stopping;
  }

  async function trustTools(server: string, tool?: string): Promise<readonly string[]> {
    const entry = servers.named(server);
    if (entry === undefined) return [];
    const { scope } = entry.definition;
    const changed = (catalog.listingOf(entry.definition)?.tools ?? [])
      .map(({ name }) => name)
      .filter(
        (name) => (tool === undefined || name === tool) && catalog.pinOf({ scope, server, name }).kind === "changed",
      );
    for (const name of changed) catalog.agree({ scope, server, name });
    await saveInventories([entry], catalog, store, logger);
    return changed;
  }

  function viewOf({ definition, link }: ServerEntry): ServerView {
    const { scope, key } = definition;
    const state = link?.status() ?? { status: "disabled" as const };
    return {
      definition,
      ...state,
      ...("cause" in state && state.cause !== undefined && { cause: redact(state.cause) }),
      toolCount: [...keeper.current().tools.values()].filter(({ ref }) => ref.scope === scope && ref.server === key)
        .length,
      quarantined: catalog.listingOf(definition)?.quarantined ?? [],
    };
  }

  const listViews = () => servers.list().map(viewOf);
  const never = new AbortController().signal;
  const scene = (approvalMode: CallScene["approvalMode"]): CallScene => ({
    toolbox: keeper.current(),
    settings: config.toolbox,
    approvalMode,
    definitionOf: ({ ref }) => servers.find(ref.scope, ref.server)?.definition,
    linkTo: ({ ref }) => flight.guard(servers.find(ref.scope, ref.server)?.link),
    pinOf: ({ ref }) => catalog.pinOf(ref),
  });

  return {
    start,
    stop,
    trustTools,
    connectServer,
    disconnectServer,
    reload: (next) => inTurn(() => become(next)),
    addServer: (definition) => inTurn(() => addServer(definition)),
    removeServer: (scope, key) => inTurn(() => removeServer(scope, key)),
    listServers: async () => listViews(),
    listTools: async () => [...keeper.current().tools.values()],
    explainTool: async (name, server) =>
      explainTool(name, server, { toolbox: keeper.current(), settings: config.toolbox, catalog, servers: listViews() }),
    listOffers: (server, signal = never) => offers.list(server, signal),
    readResource: (server, uri, signal = never) => offers.readResource(server, uri, signal),
    getPrompt: (server, name, args, signal = never) => offers.getPrompt(server, name, args, signal),
    complete: (server, request, signal = never) => offers.complete(server, request, signal),
    subscribeResource: offers.subscribe,
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

function refused(message: string, ending: Ending = "unreachable"): { kind: "failed"; failure: CallFailure } {
  return { kind: "failed", failure: { ending, message } };
}
