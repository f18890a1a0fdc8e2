import { type CallPorts, type CallScene, callTool } from "./call/call-tool.ts";
import { withSharedTimer } from "./call/shared-timer.ts";
import { createLimiter } from "./call/slots/limiter.ts";
import { createRateMeter } from "./call/slots/rate-meter.ts";
import type { CallFailure, Ending } from "./domain/call.ts";
import { endingOf } from "./domain/connection.ts";
import type {
  Answer,
  AskOptions,
  Engine,
  EngineConfig,
  ReloadReport,
  ServerView,
  StartProblem,
  StartReport,
  Within,
} from "./domain/engine.ts";
import type { EngineEvent, EventListener } from "./domain/events.ts";
import { secretsOf, secretsOfModel } from "./domain/redact.ts";
import type { ServerDefinition } from "./domain/server.ts";
import type { Session } from "./domain/session.ts";
import type { RegisteredTool, ToolRef } from "./domain/tool.ts";
import { createApprovalQueue } from "./engine/approval-queue.ts";
import { createModelHelp } from "./engine/ask-models.ts";
import { type CallSetting, createCallScene, entryOf } from "./engine/call-scene.ts";
import { callsInFlight } from "./engine/calls-in-flight.ts";
import { describeChanges, sameGpts } from "./engine/describe-changes.ts";
import { explainTool } from "./engine/explain-tool.ts";
import { fetchPrompts } from "./engine/fetch-prompts.ts";
import { createGpts } from "./engine/gpts.ts";
import { grantsWithin, notingGrants } from "./engine/grants.ts";
import { createTurns } from "./engine/in-turn.ts";
import { createToolboxKeeper } from "./engine/keep-toolbox.ts";
import { localServer, unknownLocalTools } from "./engine/local-server.ts";
import { createOfferDoor } from "./engine/offer-door.ts";
import { createOpenSessions } from "./engine/open-sessions.ts";
import { createCallPruner } from "./engine/prune-calls.ts";
import { createAgentReach, type Reach } from "./engine/reach.ts";
import { createRuns } from "./engine/runs.ts";
import { createServerSet } from "./engine/server-set.ts";
import type { ServerChange } from "./engine/servers.ts";
import { createSessionTools } from "./engine/session-tools.ts";
import { openEntry, saveInventories, startServers } from "./engine/start-servers.ts";
import { createToolIndex } from "./engine/tool-index.ts";
import { headlessApprover } from "./platform/headless-approver.ts";
import type { Ports } from "./ports/ports.ts";
import { isBrought } from "./runs/select-tools.ts";

const DRAIN_MS = 10_000;
const USUAL_MATCHES = 10;
const CANCEL_GRACE_MS = 5_000;
const MAX_RESULT_CHARACTERS = 16 * 1024 * 1024;

/** The in-process engine: puts the parts together, holds no rules of its own. */
export function createEngine(initial: EngineConfig, ports: Ports): Engine {
  const { clock, logger, store, knownSecrets } = ports;
  const { redact } = knownSecrets;
  const never = new AbortController().signal;
  const listeners = new Set<EventListener>();
  const flight = callsInFlight(clock);
  const pruner = createCallPruner(() => config.calls, { calls: store.calls, clock, logger });
  let config = initial;
  let running = false;
  let hasStarted: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    hasStarted = resolve;
  });
  let stopping: Promise<void> | undefined;
  const inTurn = createTurns();
  const set = createServerSet({
    ports,
    async recall(scope, key) {
      const inventory = await store.inventory.load(scope, key);
      return { inventory, era: inventory?.era };
    },
    emit,
    guard: flight.guard,
    started,
    rootsFor: (definition) => ports.roots && (() => ports.roots?.list(definition) ?? Promise.resolve([])),
    listingChanged(definition) {
      if (!running) return keeper.joined();
      keeper.refresh();
      catalog.settle(definition);
    },
  });
  const { catalog, servers } = set;
  const keeper = createToolboxKeeper(() => config.toolbox, set.enabled, { catalog, logger, emit });
  const fingerprintOf = (ref: ToolRef) => catalog.pinOf(ref).fingerprint;
  const index = createToolIndex({
    // Loaded when somebody searches, as most starts of a program are for something else.
    createSearch: async () => (await import("./catalog/search/create-tool-search.ts")).createToolSearch(),
    loadVectors: ports.loadWordVectors,
    toolbox: keeper.current,
    fingerprintOf,
    logger,
    help: createModelHelp({
      models: ports.models,
      settings: () => config.toolbox.search,
      fingerprintOf,
      embeddings: store.embeddings,
      logger,
    }),
  });
  const agent = createAgentReach(set, keeper, flight);
  const sessions = createOpenSessions({ ports, settings: () => config.toolbox, emit, agent, agentKeeper: keeper });
  const reachOf = (sessionId: string | undefined): Reach => sessions.find(sessionId)?.reach ?? agent;

  function emit(event: EngineEvent): void {
    if (event.type === "approval-answered") approvals.took(event.callId);
    // A copy each: what one listener does with it reaches neither the others nor us (T1.9).
    for (const listener of listeners) listener(structuredClone(event));
  }

  const approvals = createApprovalQueue();
  const grants = notingGrants(store.grants, emit);
  const sharedCallPorts = {
    ...ports,
    clock: withSharedTimer(clock),
    calls: store.calls,
    grants,
    onGrant: grants.onSaved,
    limiter: createLimiter(clock),
    rates: createRateMeter(clock),
    redact,
    emit,
    isHeard: () => listeners.size > 0,
    graceMs: CANCEL_GRACE_MS,
    maxResultCharacters: MAX_RESULT_CHARACTERS,
  };
  const attendedPorts: CallPorts = { ...sharedCallPorts, approver: approvals };
  const unattendedPorts: CallPorts = { ...sharedCallPorts, approver: headlessApprover };
  const callPorts = ({ attended, reach }: CallSetting): CallPorts => {
    const chosen = attended ? attendedPorts : unattendedPorts;
    return reach === agent ? chosen : { ...chosen, grants: grantsWithin(reach, chosen.grants) };
  };

  function allServers(next: EngineConfig): readonly ServerDefinition[] {
    return [...localServer(next.toolbox), ...next.servers];
  }

  async function start(signal = new AbortController().signal): Promise<StartReport> {
    const recovered = await store.calls.recover();
    if (recovered > 0) logger.log("warn", `Calls of a process that died, now marked interrupted: ${recovered}`);
    takeOver(config);
    await servers.become(allServers(config));
    const unreachable = await startServers(servers.list(), logger, redact, signal);
    await fetchPrompts(servers.list(), { logger, redact, clock }, signal);
    const problems: StartProblem[] = [...unknownLocalTools(config.toolbox), ...unreachable, ...keeper.rebuild()];
    for (const { text } of problems) logger.log("error", text, { startProblem: true });
    if (problems.length === 0) await saveInventories(servers.list(), catalog, store, logger);
    running = true;
    hasStarted();
    if (config.calls !== undefined) pruner.start();
    return { problems };
  }

  /** What of a configuration counts before anything is connected. */
  function takeOver({ servers: configured, models = [] }: EngineConfig): void {
    knownSecrets.add([...configured.flatMap(secretsOf), ...models.flatMap(secretsOfModel)]);
    ports.models?.configure?.(models);
  }

  async function become(next: EngineConfig): Promise<ReloadReport> {
    const before = config;
    takeOver(next);
    config = next;
    const changed = await servers.become(allServers(next));
    sayGone(changed);
    const fresh = changed.filter(({ kind }) => kind === "added" || kind === "reconnected");
    const opened = fresh.flatMap(({ definition }) => servers.find(definition.scope, definition.key) ?? []);
    const unreachable = await startServers(opened, logger, redact, never);
    await fetchPrompts(opened, { logger, redact, clock }, never);
    keeper.refresh();
    await saveInventories(opened, catalog, store, logger);
    const changes = describeChanges(changed, before, next);
    if (!sameGpts(before, next)) emit({ type: "gpts-changed" });
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

  async function connectServer(
    key: string,
    { signal = never, sessionId }: AskOptions = {},
  ): Promise<Answer<ServerView>> {
    const reach = reachOf(sessionId);
    const found = reach.named(key);
    if (found === undefined) return refused(`There is no server '${key}'`);
    const { entry } = found;
    if (entry.link === undefined) return refused(`Server '${key}' is disabled. Enable it first`);
    if (found.set === set) {
      running = true;
      hasStarted();
    }
    const failure = await openEntry(entry, signal);
    if (found.set === set) keeper.refresh();
    if (failure !== undefined) return refused(redact(failure.message), endingOf(failure));
    return { kind: "ok", value: found.set.viewOf(entry, reach.toolbox()) };
  }

  async function disconnectServer(key: string, { sessionId }: Within = {}): Promise<boolean> {
    const link = reachOf(sessionId).named(key)?.entry.link;
    await link?.close();
    return link !== undefined;
  }

  async function stop(drainMs = DRAIN_MS): Promise<void> {
    pruner.stop();
    stopping ??= flight.drain(drainMs).then(async () => {
      await Promise.all([sessions.closeAll(), ...servers.list().map(({ link }) => link?.close()), servers.settled()]);
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

  /** What would be denied whoever asks is neither sent to models nor found by anybody. */
  function isOffered({ ref, approval }: RegisteredTool, reach: Reach): boolean {
    if (approval === "deny") return false;
    return entryOf(reach, ref)?.definition.pin !== "block" || reach.setOf(ref).catalog.pinOf(ref).kind !== "changed";
  }

  function listViews(reach: Reach): readonly ServerView[] {
    const toolbox = reach.toolbox();
    return reach.servers().map((found) => found.set.viewOf(found.entry, toolbox));
  }

  const scene = (setting: CallSetting): CallScene => createCallScene(setting, config.toolbox, store.grants);
  const gpts = createGpts({ configured: () => config.gpts ?? [], saved: store.gpts, emit });
  const run = createRuns({
    models: ports.models,
    store,
    reachOf,
    overlayOf: sessions.find,
    callPorts,
    scene,
    findGpt: gpts.find,
    search: index.search,
    searchSettings: () => config.toolbox.search,
    isOffered,
    emit,
  });

  /** As it is kept, or as it was opened when nothing is kept of it yet. */
  async function loadSession(id: string): Promise<Session | undefined> {
    return (await store.sessions.load(id)) ?? sessions.find(id)?.session();
  }

  return {
    start,
    stop,
    trustTools,
    connectServer,
    disconnectServer,
    reload: (next) => inTurn(() => become(next)),
    addServer: (definition) => inTurn(() => addServer(definition)),
    removeServer: (scope, key) => inTurn(() => removeServer(scope, key)),
    listServers: async ({ sessionId } = {}) => listViews(reachOf(sessionId)),
    listTools: async ({ sessionId } = {}) => [...reachOf(sessionId).toolbox().tools.values()],
    async searchTools(query, { sessionId, limit = USUAL_MATCHES } = {}) {
      const reach = reachOf(sessionId);
      const tools = [...reach.toolbox().tools.values()];
      const offered = tools.filter((tool) => !isBrought(tool) && isOffered(tool, reach));
      return index.search(query, offered, limit);
    },
    async explainTool(name, server, { sessionId } = {}) {
      const reach = reachOf(sessionId);
      const pinOf = (ref: ToolRef) => reach.setOf(ref).catalog.pinOf(ref);
      const scenery = { toolbox: reach.toolbox(), settings: config.toolbox, pinOf, servers: listViews(reach) };
      return explainTool(name, server, scenery);
    },
    ...createOfferDoor(reachOf),
    callTool(request, { signal, onProgress, approvalMode = "auto", attended = false, sessionId } = {}) {
      const reach = reachOf(sessionId);
      const setting = { approvalMode, attended, reach, toolbox: reach.toolbox(), sessionId };
      return reach.flight.track(signal, (bounded) =>
        callTool(request, scene(setting), callPorts(setting), bounded, onProgress),
      );
    },
    listCalls: (query) => store.calls.list(query),
    run,
    listModels: async () => (await ports.models?.list()) ?? [],
    listApprovals: async () => approvals.list(),
    answerApproval: approvals.answer,
    listGrants: () => store.grants.list(),
    async revokeGrant(id) {
      const removed = await store.grants.remove(id);
      if (removed) emit({ type: "grants-changed" });
      return removed;
    },
    listSessions: (query) => store.sessions.list(query),
    openSession: sessions.open,
    closeSession: sessions.close,
    async loadSession(id) {
      const session = await loadSession(id);
      return session === undefined ? undefined : { session, messages: await store.sessions.messages(id) };
    },
    async removeSession(id) {
      const closed = await sessions.close(id);
      const removed = await store.sessions.remove(id);
      if (removed) emit({ type: "session-changed", sessionId: id });
      return removed || closed;
    },
    setSessionTool: createSessionTools({
      load: loadSession,
      save: (session) => store.sessions.save(session),
      toolboxOf: (sessionId) => reachOf(sessionId).toolbox(),
      findGpt: gpts.find,
      emit,
    }),
    listGpts: gpts.list,
    saveGpt: gpts.save,
    removeGpt: gpts.remove,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function refused(message: string, ending: Ending = "unreachable"): { kind: "failed"; failure: CallFailure } {
  return { kind: "failed", failure: { ending, message } };
}
