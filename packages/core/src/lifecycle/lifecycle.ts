import { delay } from "../async/delay.ts";
import { overOrStopped } from "../async/over-or-stopped.ts";
import { createSerial } from "../async/serial.ts";
import type { CallsInFlight } from "../call/calls-in-flight.ts";
import { createCallPruner } from "../call/prune-calls.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { EngineConfig, EngineHost, ReloadReport, StartPlan, StartProblem, StartReport } from "../engine-host.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Ports } from "../ports/ports.ts";
import type { CallLog } from "../ports/store.ts";
import { secretsOfConfig } from "../secrets/find-secrets.ts";
import { redactJson } from "../secrets/redact.ts";
import { addServerSecrets } from "../secrets/secret-holders.ts";
import { fetchPrompts } from "../servers/fetch-prompts.ts";
import type { Inventories } from "../servers/inventories.ts";
import { localServer, unknownLocalTools } from "../servers/local-server.ts";
import type { ServerSet } from "../servers/server-set.ts";
import type { ServerChange, ServerEntry } from "../servers/servers.ts";
import { startServers } from "../servers/start-servers.ts";
import type { ToolboxKeeper } from "../toolbox/keep-toolbox.ts";
import type { NameMemory } from "../toolbox/names/name-memory.ts";
import { createBeating } from "./beat.ts";
import { describeChanges, sameCallLog, sameGpts } from "./describe-changes.ts";
import { createJoiningServers } from "./joining-servers.ts";
import { divideChanged, divideServers, STRICT_WAIT_MS } from "./start-plan.ts";

/** Starts, reloads and stops an engine, and holds its current configuration. */
export interface Lifecycle extends Omit<EngineHost, "engine"> {
  config(): EngineConfig;
  isRunning(): boolean;
  /** Resolves when the engine has started; only then are failed connections tried again. */
  readonly started: Promise<void>;
  /** Marks the engine as started without connecting anything, for callers that connect servers one by one. */
  begin(): void;
  /** Applies the config that `next` returns, after all earlier changes; resolves to false if it returns undefined. */
  change(next: (config: EngineConfig) => EngineConfig | undefined): Promise<boolean>;
}

export interface LifecycleDeps {
  readonly ports: Ports;
  readonly emit: (event: EngineEvent) => void;
  readonly flight: CallsInFlight;
  /** A function, because the agent is created after the lifecycle, which it needs. */
  readonly agent: () => StartedAgent;
  readonly closeSessions: () => Promise<void>;
}

/** Something that happens once. */
interface Moment {
  readonly reached: Promise<void>;
  come(): void;
}

interface StartedAgent {
  readonly set: ServerSet;
  readonly keeper: ToolboxKeeper;
  readonly names: NameMemory;
  readonly inventories: Inventories;
}

const DRAIN_MS = 10_000;
const never = new AbortController().signal;

export function createLifecycle(initial: EngineConfig, deps: LifecycleDeps): Lifecycle {
  const { ports, emit, flight } = deps;
  const { clock, logger, store } = ports;
  const { redact } = ports.knownSecrets;
  const pruner = createCallPruner(() => config.calls, { calls: store.calls, clock, logger });
  const recover = () => recoverCalls(store.calls, logger);
  const beating = createBeating({ members: store.members, clock, logger, recover });
  const joining = createJoiningServers({ ports, agent: deps.agent, isRunning: () => running });
  const inTurn = createSerial();
  let config = initial;
  let plan: StartPlan = { kind: "everything" };
  let running = false;
  const started = createMoment();
  let stopping: Promise<void> | undefined;

  function begin(): void {
    beating.start();
    running = true;
    started.come();
  }

  async function start(signal = never, wanted = plan): Promise<StartReport> {
    const { set, keeper, names, inventories } = deps.agent();
    plan = wanted;
    beating.start();
    await recover();
    prepare(config, ports);
    await inTurn(() => set.servers.update(allServers(config)));
    keeper.recallNames(await names.recall());
    const { awaited, joining: later } = divideServers(set.servers.list(), plan);
    const built = buildToolbox(awaited, config, { set, keeper, names, inventories, ports }, signal);
    const succeeded = built.then((problems) => {
      begin();
      return problems.length === 0;
    });
    if (!signal.aborted) joining.connect(later, succeeded);
    const problems = await built;
    await succeeded;
    keepCallsWithinBounds();
    return redactJson(redact, { problems });
  }

  function keepCallsWithinBounds(): void {
    if (config.calls === undefined || stopping !== undefined) pruner.stop();
    else pruner.start();
  }

  async function reload(next: EngineConfig): Promise<ReloadReport> {
    const { set, keeper, names, inventories } = deps.agent();
    const before = config;
    prepare(next, ports);
    config = next;
    const changed = await set.servers.update(allServers(next));
    reportGone(changed, emit);
    const { awaited, joining: later } = divideChanged(changed, set.servers, plan);
    joining.connect(
      later,
      started.reached.then(() => true),
    );
    haveCallsWait(awaited, { set, keeper });
    const unreachable = await connectServers(awaited, ports, never);
    await inventories.refresh(set.servers.list(), set.catalog);
    keeper.refresh();
    await inventories.save(awaited, set.catalog);
    await names.save();
    const changes = describeChanges(changed, before, next).map(redact);
    if (!sameGpts(before, next)) emit({ type: "gpts-changed" });
    if (running && !sameCallLog(before, next)) keepCallsWithinBounds();
    reportChanges(changes, deps);
    const problems = [...unknownLocalTools(next.toolbox), ...unreachable];
    for (const { text } of problems) logger.log("error", text);
    return redactJson(redact, { changes, problems });
  }

  async function change(next: (config: EngineConfig) => EngineConfig | undefined): Promise<boolean> {
    const { set, keeper, names } = deps.agent();
    const changed = next(config);
    if (changed === undefined) return false;
    config = changed;
    reportGone(await set.servers.update(allServers(config)), emit);
    keeper.refresh();
    await names.save();
    return true;
  }

  async function stop(drainMs = DRAIN_MS): Promise<void> {
    pruner.stop();
    joining.stop();
    stopping ??= flight
      .drain(drainMs)
      .then(() => closeServers(deps))
      .then(() => joining.settled())
      // Not earlier: a process that stops beating while its last calls run is taken for dead.
      .finally(() => beating.stop());
    return stopping;
  }

  return {
    config: () => config,
    isRunning: () => running,
    started: started.reached,
    begin,
    recover,
    start,
    joined: () => deps.agent().set.firstConnections.ready(never),
    stop,
    reload: (next) => inTurn(() => reload(next)),
    change: (next) => inTurn(() => change(next)),
  };
}

/** Applies the parts of a configuration that must be in effect before anything is connected. */
function prepare(config: EngineConfig, { knownSecrets, models }: Ports): void {
  knownSecrets.add(secretsOfConfig(config));
  for (const server of config.servers) addServerSecrets(knownSecrets, server, config.fromEnvironment);
  models?.configure?.(config.models ?? []);
}

async function closeServers({ agent, closeSessions }: LifecycleDeps): Promise<void> {
  const { set, names } = agent();
  // Before the connections close: a closed server counts as one that was never tried.
  await names.save();
  const closed = set.servers.list().map(({ link }) => link?.close());
  await Promise.all([closeSessions(), ...closed, set.servers.settled()]);
}

/** Connects the servers that a start waits for and builds the toolbox; those that join later are connecting already. Returns what keeps it from starting. */
async function buildToolbox(
  servers: readonly ServerEntry[],
  { toolbox }: EngineConfig,
  { set, keeper, names, inventories, ports }: StartedAgent & { readonly ports: Ports },
  signal: AbortSignal,
): Promise<readonly StartProblem[]> {
  const { logger } = ports;
  const unreachable = await connectServers(servers, ports, signal);
  await strictServersSettled(set, ports.clock, signal);
  const problems = [...unknownLocalTools(toolbox), ...unreachable, ...keeper.rebuild()];
  for (const { text } of problems) logger.log("error", text, { startProblem: true });
  if (problems.length > 0) return problems;
  await inventories.save(servers, set.catalog);
  await names.save();
  return problems;
}

/** Gives strict servers that join later a moment: what they list by now can still refuse the start. */
async function strictServersSettled({ firstConnections }: ServerSet, clock: Clock, signal: AbortSignal): Promise<void> {
  const strict = firstConnections.connecting().filter(({ entry }) => entry.definition.mode === "strict");
  if (strict.length === 0) return;
  const over = new AbortController();
  const settled = Promise.all(strict.map((one) => one.over));
  await overOrStopped(Promise.race([settled, delay(STRICT_WAIT_MS, clock, over.signal)]), signal);
  over.abort();
}

async function connectServers(
  servers: readonly ServerEntry[],
  { logger, clock, knownSecrets: { redact } }: Ports,
  signal: AbortSignal,
): Promise<readonly StartProblem[]> {
  const unreachable = await startServers(servers, logger, redact, signal);
  await fetchPrompts(servers, { logger, redact, clock }, signal);
  return unreachable;
}

/** As for servers that join later: a name may turn out to belong to a tool of one that is only now connected. */
function haveCallsWait(servers: readonly ServerEntry[], { set, keeper }: Pick<StartedAgent, "set" | "keeper">): void {
  for (const entry of servers)
    if (entry.link?.wasTried() === false) set.firstConnections.connect(entry, keeper.invalidate);
}

function createMoment(): Moment {
  let come: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { reached, come: () => come() };
}

function allServers({ toolbox, servers }: EngineConfig): readonly ServerDefinition[] {
  return [...localServer(toolbox), ...servers];
}

async function recoverCalls(calls: CallLog, logger: Logger): Promise<number> {
  const recovered = await calls.recover();
  if (recovered > 0)
    logger.log("warn", `Calls left open by a process that died, now marked as interrupted: ${recovered}`);
  return recovered;
}

function reportChanges(changes: readonly string[], { ports, emit }: LifecycleDeps): void {
  for (const line of changes) ports.logger.log("info", line);
  if (changes.length > 0) emit({ type: "config-changed", changes });
}

/** Reports removed and disabled servers, which have no link left to report it. */
function reportGone(changes: readonly ServerChange[], emit: LifecycleDeps["emit"]): void {
  for (const { kind, definition } of changes) {
    if (kind !== "removed" && definition.enabled) continue;
    emit({ type: "connection-changed", scope: definition.scope, server: definition.key, status: "disconnected" });
  }
}
