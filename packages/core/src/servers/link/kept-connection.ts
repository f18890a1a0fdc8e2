import type { StopSignal } from "../../async/stop.ts";
import { ConnectionError, type ConnectionRetry, type Flood } from "../../domain/connection.ts";
import type { Era, ServerDefinition } from "../../domain/server.ts";
import type { Connection } from "../../ports/connector.ts";
import { backoffMs } from "./backoff.ts";
import type { Cooldown } from "./cooldown.ts";
import type { Leases } from "./leases.ts";
import type { LinkDeps, LinkState, LinkWatcher } from "./managed-link.ts";
import { toConnectionError } from "./open-connection.ts";
import { type OpenWatchedDeps, openWatched } from "./open-watched.ts";
import type { QuestionTime } from "./question-time.ts";
import { createStartPace } from "./start-pace.ts";

/** A server's connection: opened once for all callers, reopened after a drop, replaced when it is stuck. */
export interface KeptConnection {
  /** The open connection, if there is one. */
  current(): Connection | undefined;
  /** Opens a connection unless one is open; concurrent calls share one attempt. Rejects with ConnectionError. */
  open(signal: StopSignal): Promise<Connection>;
  /** The error for calls that arrive before the next retry; undefined if the server may be tried now. */
  refusal(): ConnectionError | undefined;
  /** Opens another connection in place of this one, which is closed by its remaining users. */
  replace(connection: Connection): void;
  /** Closes the connection, which stays closed until it is opened again. */
  close(): Promise<void>;
  status(): LinkState;
}

export interface KeptConnectionDeps extends LinkDeps {
  readonly watcher: LinkWatcher;
  readonly questions: QuestionTime;
  readonly leases: Leases;
  readonly cooldown: Cooldown;
  /** Called when the server sends more than it may. */
  readonly flooded: (flood: Flood) => void;
  /** Whether a server that is down is retried automatically. */
  readonly mayRetry: () => boolean;
}

interface Failed {
  readonly kind: "failed";
  readonly error: ConnectionError;
  readonly at: number;
  readonly retry: ConnectionRetry;
  /** True if the connection was open and got lost, which says nothing about the next start. */
  readonly hadBeenOpen: boolean;
  readonly cancelRetry: () => void;
}

type State =
  | { readonly kind: "idle" }
  | {
      readonly kind: "opening";
      readonly attempt: Promise<Connection>;
      readonly stop: AbortController;
      /** How the attempt before this one failed. */
      readonly failure: ConnectionError | undefined;
    }
  | { readonly kind: "open"; readonly connection: Connection; readonly since: number }
  | Failed;

const HEALTHY_AFTER_MS = 60_000;
/** The shortest time after which a call may again try to start a server that did not come up. */
const ASK_AGAIN_AFTER_MS = 1_000;

export function keepConnection(
  definition: ServerDefinition,
  knownEra: Era | undefined,
  deps: KeptConnectionDeps,
): KeptConnection {
  const { clock, watcher, leases, cooldown } = deps;
  const pace = createStartPace(clock);
  const openDeps: OpenWatchedDeps = { ...deps, pace, dropped };
  let state: State = { kind: "idle" };
  let failures = 0;
  let era = knownEra;

  function open(signal: StopSignal): Promise<Connection> {
    if (state.kind === "open") return Promise.resolve(state.connection);
    if (state.kind === "opening") return untilAborted(state.attempt, signal);
    const failure = state.kind === "failed" ? state.error : undefined;
    if (state.kind === "failed") state.cancelRetry();
    const stop = new AbortController();
    const attempt = attemptOpen(stop.signal);
    state = { kind: "opening", attempt, stop, failure };
    watcher.statusChanged({ status: "connecting" });
    return untilAborted(attempt, signal);
  }

  async function attemptOpen(signal: AbortSignal): Promise<Connection> {
    try {
      const connection = await openWatched(definition, era, openDeps, signal);
      if (signal.aborted) {
        await connection.close();
        throw new ConnectionError("cancelled", "cancelled while the server was connecting");
      }
      era = connection.info.era;
      state = { kind: "open", connection, since: clock.monotonic() };
      watcher.statusChanged({ status: "connected" });
      return connection;
    } catch (error) {
      const failure = toConnectionError(error);
      // Only close() aborts an attempt. By now the state may be that of the next attempt.
      if (!signal.aborted) fail(failure, false);
      throw failure;
    }
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
    if (error.retryAfterMs !== undefined) cooldown.begin(error);
    const again = deps.mayRetry() && error.retryable;
    const delayMs = Math.max(backoffMs(failures, clock.random), pace.waitMs(), error.retryAfterMs ?? 0);
    const retry: ConnectionRetry = {
      failures,
      ...(again && { nextAttemptAt: new Date(clock.now() + delayMs).toISOString() }),
    };
    const cancelRetry = again ? retryAfter(delayMs) : () => undefined;
    state = { kind: "failed", error, at: clock.monotonic(), retry, hadBeenOpen, cancelRetry };
    watcher.statusChanged({ status: "error", cause: error.message, retry });
  }

  /** Returns a function that cancels the retry. */
  function retryAfter(ms: number): () => void {
    let isCancelled = false;
    let cancel = () => {
      isCancelled = true;
    };
    const wait = (waitMs: number) => {
      cancel = clock.after(waitMs, () => {
        // Timers may fire a little early, and a start a moment too early would be one too many for its minute.
        const leftMs = pace.waitMs();
        if (leftMs > 0) wait(leftMs);
        else reopen();
      });
    };
    void deps.started.then(() => {
      if (!isCancelled) wait(ms);
    });
    return () => cancel();
  }

  function reopen(): void {
    // A failure is already stored in the state and announced.
    open(new AbortController().signal).catch(() => undefined);
  }

  function mayAskAgain({ at, hadBeenOpen }: Failed): boolean {
    if (definition.reconnect !== "auto" || pace.waitMs() > 0) return false;
    return hadBeenOpen || clock.monotonic() - at >= ASK_AGAIN_AFTER_MS;
  }

  return {
    current: () => (state.kind === "open" ? state.connection : undefined),
    open,
    refusal: () => (state.kind === "failed" && !mayAskAgain(state) ? stillDown(state) : undefined),
    replace(connection) {
      if (state.kind !== "open" || state.connection !== connection) return;
      const cause = "it ignored a cancelled call";
      if (pace.waitMs() > 0)
        return fail(new ConnectionError("unreachable", `${cause}, and was restarted too often`), true);
      state = { kind: "idle" };
      watcher.statusChanged({ status: "disconnected", cause });
      reopen();
    },
    async close() {
      const was = state;
      state = { kind: "idle" };
      if (was.kind === "failed") was.cancelRetry();
      if (was.kind === "opening") {
        was.stop.abort();
        await was.attempt.catch(() => undefined);
      }
      await Promise.all([was.kind === "open" ? was.connection.close() : undefined, leases.closeRetired()]);
      if (was.kind !== "idle" && state.kind === "idle") watcher.statusChanged({ status: "disconnected" });
    },
    status: () => toLinkState(state),
  };
}

function toLinkState(state: State): LinkState {
  if (state.kind === "open") return { status: "connected", info: state.connection.info };
  if (state.kind === "opening") return { status: "connecting", ...(state.failure && { failure: state.failure }) };
  if (state.kind === "failed") {
    const { error, retry } = state;
    return { status: "error", cause: error.message, failure: error, retry };
  }
  return { status: "disconnected" };
}

function stillDown({ error, retry: { failures, nextAttemptAt } }: Failed): ConnectionError {
  if (nextAttemptAt === undefined) return error;
  const times = failures === 1 ? "once" : `${failures} times in a row`;
  const text = `${withoutFullStop(error.message)}. It failed ${times} and is tried again at ${nextAttemptAt}`;
  return new ConnectionError(error.code, text, { retryable: error.retryable, cause: error });
}

function withoutFullStop(text: string): string {
  return text.endsWith(".") ? text.slice(0, -1) : text;
}

/** Waits for the shared attempt. Aborting `signal` ends only this wait, not the attempt. */
function untilAborted<T>(attempt: Promise<T>, signal: StopSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new ConnectionError("cancelled", "cancelled while the server was connecting"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    attempt.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
