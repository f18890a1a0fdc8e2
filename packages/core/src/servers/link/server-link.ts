import type { StopSignal } from "../../async/stop.ts";
import {
  ConnectionError,
  type ConnectionRetry,
  type ConnectionStatus,
  type ServerInfo,
} from "../../domain/connection.ts";
import type { Era, ServerDefinition } from "../../domain/server.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Connection, Connector, OpenOptions } from "../../ports/connector.ts";
import type { KnownSecrets, Redactor } from "../../ports/known-secrets.ts";
import type { Ports } from "../../ports/ports.ts";
import type { Vault } from "../../ports/vault.ts";
import { fillSecrets } from "../../secrets/fill-secrets.ts";
import { createRedactor, secretsOf } from "../../secrets/redact.ts";
import { backoffMs } from "./backoff.ts";
import { createCooldown } from "./cooldown.ts";
import { createLeases } from "./leases.ts";
import type { Lease, ServerLink } from "./link.ts";
import { openConnection, toConnectionError } from "./open-connection.ts";
import { createQuestionTime } from "./question-time.ts";
import { createStartPace } from "./start-pace.ts";

export interface LinkDeps {
  readonly connectors: readonly Connector[];
  readonly clock: Clock;
  readonly vault: Vault | undefined;
  readonly knownSecrets: KnownSecrets;
  readonly openOptions: (definition: ServerDefinition) => ServerSideOptions;
  /** Settles when the engine has started; what failed until then is tried again only after it. */
  readonly started: Promise<void>;
  readonly place: Ports["place"];
}

/** What the engine answers and hears on every connection besides tools. */
export type ServerSideOptions = Pick<
  OpenOptions,
  "onOffersChanged" | "onResourceUpdated" | "elicit" | "roots" | "onOddity"
>;

export interface LinkState {
  readonly status: ConnectionStatus;
  /** Why it is down, or why it refuses calls for a while though it is up. */
  readonly cause?: string;
  readonly info?: ServerInfo;
  readonly retry?: ConnectionRetry;
}

export interface OpenedLink {
  readonly connection: Connection;
  /** Strikes out the secrets this server was given, and no others: what it says of its tools is not to change with them. */
  readonly redact: Redactor;
}

export interface LinkWatcher {
  readonly statusChanged: (state: Omit<LinkState, "info">) => void;
  /** A connection is ready; awaited before calls may use it, so that they see its tools. */
  readonly opened: (opened: OpenedLink) => Promise<void>;
  readonly toolsChanged: (opened: OpenedLink) => void;
  readonly serverLogged: (line: string) => void;
}

export interface ManagedLink extends ServerLink {
  readonly definition: ServerDefinition;
  status(): LinkState;
  /** Opens now unless open; concurrent calls share one attempt. Rejects with ConnectionError. */
  open(signal: StopSignal): Promise<Connection>;
  /** Closes and stays closed until opened again. */
  close(): Promise<void>;
  /** As close, but lets the calls on it end first. Nothing new may use it. */
  retire(): Promise<void>;
  /** As close, for good: calls on it are interrupted. */
  end(): Promise<void>;
}

type State =
  | { readonly kind: "idle" }
  | { readonly kind: "opening"; readonly attempt: Promise<Connection>; readonly stop: AbortController }
  | { readonly kind: "open"; readonly connection: Connection; readonly since: number }
  | {
      readonly kind: "failed";
      readonly error: ConnectionError;
      readonly at: number;
      readonly retry: ConnectionRetry;
      /** It was up and went away, which says nothing about the next start. */
      readonly hadBeenOpen: boolean;
      readonly withdrawRetry: () => void;
    };

const HEALTHY_AFTER_MS = 60_000;
/** A call may ask for a server again that did not come up, but not more often than this. */
const ASK_AGAIN_AFTER_MS = 1_000;

/** One server's connection over time: opening once for everybody, reopening after a drop, replacing when stuck. */
export function createServerLink(
  definition: ServerDefinition,
  knownEra: Era | undefined,
  { connectors, clock, vault, knownSecrets, openOptions, started, place }: LinkDeps,
  watcher: LinkWatcher,
): ManagedLink {
  let state: State = { kind: "idle" };
  let failures = 0;
  let era = knownEra;
  let retired = false;
  const leases = createLeases({ retire: replace, rest: leaveAlone });
  const pace = createStartPace(clock);
  const rest = createCooldown(clock);
  const questions = createQuestionTime(clock);

  function open(signal: StopSignal): Promise<Connection> {
    if (state.kind === "open") return Promise.resolve(state.connection);
    if (state.kind === "opening") return untilAborted(state.attempt, signal);
    if (state.kind === "failed") state.withdrawRetry();
    const stop = new AbortController();
    const attempt = attemptOpen(stop);
    state = { kind: "opening", attempt, stop };
    watcher.statusChanged({ status: "connecting" });
    return untilAborted(attempt, signal);
  }

  async function attemptOpen(stop: AbortController): Promise<Connection> {
    try {
      const connection = await openFresh(stop);
      state = { kind: "open", connection, since: clock.monotonic() };
      watcher.statusChanged({ status: "connected" });
      return connection;
    } catch (error) {
      const failure = toConnectionError(error);
      if (stop.signal.aborted) state = { kind: "idle" };
      else fail(failure, false);
      throw failure;
    }
  }

  function countQuestions(options: ServerSideOptions): ServerSideOptions {
    const { elicit } = options;
    return elicit === undefined ? options : { ...options, elicit: questions.counted(elicit) };
  }

  async function openFresh(stop: AbortController): Promise<Connection> {
    let lost: string | undefined;
    let current: OpenedLink | undefined;
    let changedMeanwhile = false;
    const lent: string[] = [];
    const launch = await fillSecrets(definition.launch, vault, { add: (values) => void lent.push(...values) });
    const filled = { ...definition, launch };
    const secrets = [...lent, ...secretsOf(filled)];
    knownSecrets.add(secrets);
    const connection = await openConnection(
      filled,
      connectors,
      {
        ...countQuestions(openOptions(definition)),
        ...(era !== undefined && { knownEra: era }),
        onToolsChanged: () => {
          if (current === undefined) changedMeanwhile = true;
          else watcher.toolsChanged(current);
        },
        onClosed: (cause) => {
          lost = cause;
          if (current !== undefined) dropped(current.connection, cause);
        },
        onServerLog: watcher.serverLogged,
      },
      { clock, pace, place },
      stop.signal,
    );
    const opened = { connection, redact: createRedactor(secrets) };
    try {
      changedMeanwhile = false;
      if (lost === undefined) await watcher.opened(opened);
    } catch (error) {
      await connection.close();
      throw error;
    }
    if (stop.signal.aborted || lost !== undefined) {
      await connection.close();
      throw new ConnectionError("unreachable", lost ?? "the connection was closed while it opened");
    }
    current = opened;
    era = connection.info.era;
    // Said while its tools were being listed: the list may be older than that.
    if (changedMeanwhile) watcher.toolsChanged(opened);
    return connection;
  }

  function dropped(connection: Connection, cause: string): void {
    leases.forget(connection);
    if (state.kind !== "open" || state.connection !== connection) return;
    if (clock.monotonic() - state.since >= HEALTHY_AFTER_MS) {
      failures = 0;
      pace.recovered();
    }
    fail(new ConnectionError("unreachable", cause), true);
  }

  function fail(error: ConnectionError, hadBeenOpen: boolean): void {
    failures += 1;
    if (!error.isOurs) pace.failed();
    if (error.retryAfterMs !== undefined) rest.begin(error);
    const again = !retired && definition.reconnect === "auto" && error.retryable;
    const delayMs = Math.max(backoffMs(failures, clock.random), pace.waitMs(), error.retryAfterMs ?? 0);
    const retry: ConnectionRetry = {
      failures,
      ...(again && { nextAttemptAt: new Date(clock.now() + delayMs).toISOString() }),
    };
    const withdrawRetry = again ? retryLater(delayMs) : () => undefined;
    state = { kind: "failed", error, at: clock.monotonic(), retry, hadBeenOpen, withdrawRetry };
    watcher.statusChanged({ status: "error", cause: error.message, retry });
  }

  function retryLater(ms: number): () => void {
    let withdraw = () => {
      withdrawn = true;
    };
    let withdrawn = false;
    void started.then(() => {
      if (!withdrawn) withdraw = clock.after(ms, reopen);
    });
    return () => withdraw();
  }

  function reopen(): void {
    // The failure is already part of the state and announced; there is nobody else to tell.
    open(new AbortController().signal).catch(() => undefined);
  }

  function lease(signal: StopSignal): Lease | Promise<Lease> {
    if (retired) throw new ConnectionError("unreachable", "the server was changed or removed in the configuration");
    const resting = rest.refusal();
    if (resting !== undefined) throw resting;
    if (state.kind === "open") return leases.take(state.connection);
    if (state.kind === "failed" && !mayAskAgain(state)) throw stillDown(state);
    return open(signal).then(leases.take);
  }

  function mayAskAgain({ at, hadBeenOpen }: { at: number; hadBeenOpen: boolean }): boolean {
    if (definition.reconnect !== "auto" || pace.waitMs() > 0) return false;
    return hadBeenOpen || clock.monotonic() - at >= ASK_AGAIN_AFTER_MS;
  }

  function leaveAlone(error: ConnectionError): void {
    // Custom tools have hosts of their own: what one asked for must not keep calls from the others.
    if (definition.launch.transport === "custom") return;
    rest.begin(error);
    const refusal = rest.refusal();
    if (refusal !== undefined && state.kind === "open")
      watcher.statusChanged({ status: "connected", cause: refusal.message });
  }

  function replace(connection: Connection): void {
    if (state.kind !== "open" || state.connection !== connection) return;
    const cause = "replaced: the server did not let go of a call";
    if (pace.waitMs() > 0) {
      fail(new ConnectionError("unreachable", cause), true);
      return;
    }
    state = { kind: "idle" };
    watcher.statusChanged({ status: "disconnected", cause });
    reopen();
  }

  async function close(): Promise<void> {
    const was = state;
    state = { kind: "idle" };
    if (was.kind === "failed") was.withdrawRetry();
    if (was.kind === "opening") {
      was.stop.abort();
      await was.attempt.catch(() => undefined);
    }
    await Promise.all([was.kind === "open" ? was.connection.close() : undefined, leases.closeRetired()]);
    if (was.kind !== "idle") watcher.statusChanged({ status: "disconnected" });
  }

  async function retire(): Promise<void> {
    retired = true;
    if (state.kind === "open") await leases.idle(state.connection);
    await close();
  }

  function end(): Promise<void> {
    retired = true;
    return close();
  }

  function status(): LinkState {
    if (state.kind === "open") {
      const resting = rest.refusal();
      const { info } = state.connection;
      return { status: "connected", info, ...(resting !== undefined && { cause: resting.message }) };
    }
    if (state.kind === "opening") return { status: "connecting" };
    if (state.kind === "failed") return { status: "error", cause: state.error.message, retry: state.retry };
    return { status: "disconnected" };
  }

  return { definition, open, lease, close, retire, end, status, questionsMs: questions.openMs };
}

/** What a call is told that comes before the next try. */
function stillDown({ error, retry: { failures, nextAttemptAt } }: { error: ConnectionError; retry: ConnectionRetry }) {
  if (nextAttemptAt === undefined) return error;
  const times = failures === 1 ? "once" : `${failures} times in a row`;
  const text = `${withoutFullStop(error.message)}. It failed ${times} and is tried again at ${nextAttemptAt}`;
  return new ConnectionError(error.code, text, { retryable: error.retryable, cause: error });
}

function withoutFullStop(text: string): string {
  return text.endsWith(".") ? text.slice(0, -1) : text;
}

/** Waits with the others without being able to end their attempt. */
function untilAborted<T>(attempt: Promise<T>, signal: StopSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new ConnectionError("cancelled", "cancelled while the server was connecting"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    attempt.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
