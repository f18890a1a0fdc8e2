import { createSerial } from "../async/serial.ts";
import type { CallsInFlight } from "../call/calls-in-flight.ts";
import { createCallPruner } from "../call/prune-calls.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { EngineConfig, EngineHost, ReloadReport, StartProblem, StartReport } from "../engine-host.ts";
import type { Ports } from "../ports/ports.ts";
import { redactJson, secretsOfConfig } from "../secrets/redact.ts";
import { fetchPrompts } from "../servers/fetch-prompts.ts";
import { localServer, unknownLocalTools } from "../servers/local-server.ts";
import type { ServerSet } from "../servers/server-set.ts";
import type { ServerChange } from "../servers/servers.ts";
import { saveInventories, startServers } from "../servers/start-servers.ts";
import type { ToolboxKeeper } from "../toolbox/keep-toolbox.ts";
import { describeChanges, sameGpts } from "./describe-changes.ts";

/** How an engine begins, becomes another and ends. */
export interface Lifecycle extends Omit<EngineHost, "engine"> {
  config(): EngineConfig;
  isRunning(): boolean;
  /** Settles when what failed may be tried again. */
  readonly started: Promise<void>;
  /** Counts as started from now on: somebody connects servers one by one. */
  begin(): void;
  /** Becomes what `next` makes of the config, after all changes asked for before; nothing happens where it is undefined. */
  change(next: (config: EngineConfig) => EngineConfig | undefined): Promise<boolean>;
}

export interface LifecycleDeps {
  readonly ports: Ports;
  readonly emit: (event: EngineEvent) => void;
  readonly flight: CallsInFlight;
  /** Made with what this gives, so asked for later. */
  readonly agent: () => { readonly set: ServerSet; readonly keeper: ToolboxKeeper };
  readonly closeSessions: () => Promise<void>;
}

const DRAIN_MS = 10_000;

export function createLifecycle(initial: EngineConfig, parts: LifecycleDeps): Lifecycle {
  const { ports, emit, flight } = parts;
  const { clock, logger, store, knownSecrets } = ports;
  const { redact } = knownSecrets;
  const never = new AbortController().signal;
  const pruner = createCallPruner(() => config.calls, { calls: store.calls, clock, logger });
  const inTurn = createSerial();
  let config = initial;
  let running = false;
  let hasStarted: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    hasStarted = resolve;
  });
  let stopping: Promise<void> | undefined;

  function begin(): void {
    running = true;
    hasStarted();
  }

  async function recover(): Promise<number> {
    const recovered = await store.calls.recover();
    if (recovered > 0) logger.log("warn", `Calls of a process that died, now marked interrupted: ${recovered}`);
    return recovered;
  }

  async function start(signal = never): Promise<StartReport> {
    const { set, keeper } = parts.agent();
    await recover();
    takeOver(config);
    await set.servers.become(allServers(config));
    const servers = set.servers.list();
    const unreachable = await startServers(servers, logger, redact, signal);
    await fetchPrompts(servers, { logger, redact, clock }, signal);
    const problems: StartProblem[] = [...unknownLocalTools(config.toolbox), ...unreachable, ...keeper.rebuild()];
    for (const { text } of problems) logger.log("error", text, { startProblem: true });
    if (problems.length === 0) await saveInventories(servers, set.catalog, store, logger);
    begin();
    if (config.calls !== undefined) pruner.start();
    return redactJson(redact, { problems });
  }

  /** What of a configuration counts before anything is connected. */
  function takeOver(next: EngineConfig): void {
    knownSecrets.add(secretsOfConfig(next));
    ports.models?.configure?.(next.models ?? []);
  }

  async function become(next: EngineConfig): Promise<ReloadReport> {
    const { set, keeper } = parts.agent();
    const before = config;
    takeOver(next);
    config = next;
    const changed = await set.servers.become(allServers(next));
    sayGone(changed);
    const fresh = changed.filter(({ kind }) => kind === "added" || kind === "reconnected");
    const opened = fresh.flatMap(({ definition }) => set.servers.find(definition.scope, definition.key) ?? []);
    const unreachable = await startServers(opened, logger, redact, never);
    await fetchPrompts(opened, { logger, redact, clock }, never);
    keeper.refresh();
    await saveInventories(opened, set.catalog, store, logger);
    const changes = describeChanges(changed, before, next).map(redact);
    if (!sameGpts(before, next)) emit({ type: "gpts-changed" });
    for (const line of changes) logger.log("info", line);
    if (changes.length > 0) emit({ type: "config-changed", changes });
    const problems = [...unknownLocalTools(next.toolbox), ...unreachable];
    for (const { text } of problems) logger.log("error", text);
    return redactJson(redact, { changes, problems });
  }

  /** A server that is gone has no link left to say so. */
  function sayGone(changes: readonly ServerChange[]): void {
    for (const { kind, definition } of changes) {
      if (kind !== "removed" && definition.enabled) continue;
      emit({ type: "connection-changed", scope: definition.scope, server: definition.key, status: "disconnected" });
    }
  }

  async function change(next: (config: EngineConfig) => EngineConfig | undefined): Promise<boolean> {
    const { set, keeper } = parts.agent();
    const changed = next(config);
    if (changed === undefined) return false;
    config = changed;
    sayGone(await set.servers.become(allServers(config)));
    keeper.refresh();
    return true;
  }

  async function stop(drainMs = DRAIN_MS): Promise<void> {
    const { servers } = parts.agent().set;
    pruner.stop();
    stopping ??= flight.drain(drainMs).then(async () => {
      await Promise.all([parts.closeSessions(), ...servers.list().map(({ link }) => link?.close()), servers.settled()]);
    });
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
    reload: (next) => inTurn(() => become(next)),
    change: (next) => inTurn(() => change(next)),
  };
}

function allServers({ toolbox, servers }: EngineConfig): readonly ServerDefinition[] {
  return [...localServer(toolbox), ...servers];
}
