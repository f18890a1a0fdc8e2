import { createSerial } from "../async/serial.ts";
import type { CallsInFlight } from "../call/calls-in-flight.ts";
import { createCallPruner } from "../call/prune-calls.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { EngineConfig, EngineHost, ReloadReport, StartProblem, StartReport } from "../engine-host.ts";
import type { Logger } from "../ports/logger.ts";
import type { Ports } from "../ports/ports.ts";
import type { CallLog } from "../ports/store.ts";
import { secretsOfConfig } from "../secrets/find-secrets.ts";
import { redactJson } from "../secrets/redact.ts";
import { fetchPrompts } from "../servers/fetch-prompts.ts";
import { localServer, unknownLocalTools } from "../servers/local-server.ts";
import type { ServerSet } from "../servers/server-set.ts";
import type { ServerChange } from "../servers/servers.ts";
import { saveInventories, startServers } from "../servers/start-servers.ts";
import type { ToolboxKeeper } from "../toolbox/keep-toolbox.ts";
import { createBeating } from "./beat.ts";
import { describeChanges, sameCallLog, sameGpts } from "./describe-changes.ts";

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
  readonly agent: () => { readonly set: ServerSet; readonly keeper: ToolboxKeeper };
  readonly closeSessions: () => Promise<void>;
}

const DRAIN_MS = 10_000;
const never = new AbortController().signal;

export function createLifecycle(initial: EngineConfig, deps: LifecycleDeps): Lifecycle {
  const { ports, emit, flight } = deps;
  const { clock, logger, store, knownSecrets } = ports;
  const { redact } = knownSecrets;
  const pruner = createCallPruner(() => config.calls, { calls: store.calls, clock, logger });
  const recover = () => recoverCalls(store.calls, logger);
  const beating = createBeating({ members: store.members, clock, logger, recover });
  const inTurn = createSerial();
  let config = initial;
  let running = false;
  let hasStarted: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    hasStarted = resolve;
  });
  let stopping: Promise<void> | undefined;

  function begin(): void {
    beating.start();
    running = true;
    hasStarted();
  }

  async function start(signal = never): Promise<StartReport> {
    const { set, keeper } = deps.agent();
    beating.start();
    await recover();
    prepare(config);
    await inTurn(() => set.servers.update(allServers(config)));
    const servers = set.servers.list();
    const unreachable = await startServers(servers, logger, redact, signal);
    await fetchPrompts(servers, { logger, redact, clock }, signal);
    const problems: StartProblem[] = [...unknownLocalTools(config.toolbox), ...unreachable, ...keeper.rebuild()];
    for (const { text } of problems) logger.log("error", text, { startProblem: true });
    if (problems.length === 0) await saveInventories(servers, set.catalog, store, logger);
    begin();
    keepCallsWithinBounds();
    return redactJson(redact, { problems });
  }

  function keepCallsWithinBounds(): void {
    if (config.calls === undefined || stopping !== undefined) pruner.stop();
    else pruner.start();
  }

  /** Applies the parts of a configuration that must be in effect before anything is connected. */
  function prepare(next: EngineConfig): void {
    knownSecrets.add(secretsOfConfig(next));
    ports.models?.configure?.(next.models ?? []);
  }

  async function reload(next: EngineConfig): Promise<ReloadReport> {
    const { set, keeper } = deps.agent();
    const before = config;
    prepare(next);
    config = next;
    const changed = await set.servers.update(allServers(next));
    reportGone(changed, emit);
    const fresh = changed.filter(({ kind }) => kind === "added" || kind === "reconnected");
    const opened = fresh.flatMap(({ definition }) => set.servers.find(definition.scope, definition.key) ?? []);
    const unreachable = await startServers(opened, logger, redact, never);
    await fetchPrompts(opened, { logger, redact, clock }, never);
    keeper.refresh();
    await saveInventories(opened, set.catalog, store, logger);
    const changes = describeChanges(changed, before, next).map(redact);
    if (!sameGpts(before, next)) emit({ type: "gpts-changed" });
    if (running && !sameCallLog(before, next)) keepCallsWithinBounds();
    reportChanges(changes, deps);
    const problems = [...unknownLocalTools(next.toolbox), ...unreachable];
    for (const { text } of problems) logger.log("error", text);
    return redactJson(redact, { changes, problems });
  }

  async function change(next: (config: EngineConfig) => EngineConfig | undefined): Promise<boolean> {
    const { set, keeper } = deps.agent();
    const changed = next(config);
    if (changed === undefined) return false;
    config = changed;
    reportGone(await set.servers.update(allServers(config)), emit);
    keeper.refresh();
    return true;
  }

  async function stop(drainMs = DRAIN_MS): Promise<void> {
    const { servers } = deps.agent().set;
    pruner.stop();
    stopping ??= flight
      .drain(drainMs)
      .then(async () => {
        const closed = servers.list().map(({ link }) => link?.close());
        await Promise.all([deps.closeSessions(), ...closed, servers.settled()]);
      })
      // Not earlier: a process that stops beating while its last calls run is taken for dead.
      .finally(() => beating.stop());
    return stopping;
  }

  return {
    config: () => config,
    isRunning: () => running,
    started,
    begin,
    recover,
    start,
    stop,
    reload: (next) => inTurn(() => reload(next)),
    change: (next) => inTurn(() => change(next)),
  };
}

function allServers({ toolbox, servers }: EngineConfig): readonly ServerDefinition[] {
  return [...localServer(toolbox), ...servers];
}

async function recoverCalls(calls: CallLog, logger: Logger): Promise<number> {
  const recovered = await calls.recover();
  if (recovered > 0) logger.log("warn", `Calls of a process that died, now marked interrupted: ${recovered}`);
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
