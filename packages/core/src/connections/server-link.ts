import { ConnectionError, type ConnectionStatus, type ServerInfo } from "../domain/connection.ts";
import type { KnownSecrets } from "../domain/known-secrets.ts";
import { secretsOf } from "../domain/redact.ts";
import type { Era, ServerDefinition } from "../domain/server.ts";
import type { Clock } from "../ports/clock.ts";
import type { Connection, Connector, OpenOptions } from "../ports/connector.ts";
import type { Ports } from "../ports/ports.ts";
import type { Lease, ServerLink } from "../ports/server-link.ts";
import type { Vault } from "../ports/vault.ts";
import { backoffMs } from "./backoff.ts";
import { fillSecrets } from "./fill-secrets.ts";
import { createLeases } from "./leases.ts";
import { openConnection, toConnectionError } from "./open-connection.ts";

export interface LinkPorts {
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
export type ServerSideOptions = Pick<OpenOptions, "onOffersChanged" | "onResourceUpdated" | "elicit" | "roots">;

export interface LinkWatcher {
  readonly statusChanged: (status: ConnectionStatus, cause?: string) => void;
  /** A connection is ready; awaited before calls may use it, so that they see its tools. */
  readonly opened: (connection: Connection) => Promise<void>;
  readonly toolsChanged: (connection: Connection) => void;
  readonly serverLogged: (line: string) => void;
}

export interface ManagedLink extends ServerLink {
  readonly definition: ServerDefinition;
  status(): { readonly status: ConnectionStatus; readonly cause?: string; readonly info?: ServerInfo };
  /** Opens now unless open; concurrent calls share one attempt. Rejects with ConnectionError. */
  open(signal: AbortSignal): Promise<Connection>;
  /** Closes and stays closed until opened again. */
  close(): Promise<void>;
  /** As close, but lets the calls on it end first. Nothing new may use it. */
  retire(): Promise<void>;
}

type State =
  | { readonly kind: "idle" }
  | { readonly kind: "opening"; readonly attempt: Promise<Connection>; readonly stop: AbortController }
  | { readonly kind: "open"; readonly connection: Connection; readonly since: number }
  | {
      readonly kind: "failed";
      readonly error: ConnectionError;
      readonly at: number;
      readonly withdrawRetry: () => void;
    };

const HEALTHY_AFTER_MS = 60_000;
/** A call may ask for a failed server again, but not more often than this. */
const ASK_AGAIN_AFTER_MS = 1_000;

/** One server's connection over time: opening once for everybody, reopening after a drop, replacing when stuck. */
export function createServerLink(
  definition: ServerDefinition,
  knownEra: Era | undefined,
  { connectors, clock, vault, knownSecrets, openOptions, started, place }: LinkPorts,
  watcher: LinkWatcher,
): ManagedLink {
  let state: State = { kind: "idle" };
  let failures = 0;
  let era = knownEra;
  let retired = false;
  const leases = createLeases();

  function open(signal: AbortSignal): Promise<Connection> {
    if (state.kind === "open") return Promise.resolve(state.connection);
    if (state.kind === "opening") return untilAborted(state.attempt, signal);
    if (state.kind === "failed") state.withdrawRetry();
    const stop = new AbortController();
    const attempt = attemptOpen(stop);
    state = { kind: "opening", attempt, stop };
    watcher.statusChanged("connecting");
    return untilAborted(attempt, signal);
  }

  async function attemptOpen(stop: AbortController): Promise<Connection> {
    try {
      const connection = await openFresh(stop);
      state = { kind: "open", connection, since: clock.monotonic() };
      watcher.statusChanged("connected");
      return connection;
    } catch (error) {
      const failure = toConnectionError(error);
      if (stop.signal.aborted) state = { kind: "idle" };
      else fail(failure);
      throw failure;
    }
  }

  async function openFresh(stop: AbortController): Promise<Connection> {
    let lost: string | undefined;
    let current: Connection | undefined;
    const launch = await fillSecrets(definition.launch, vault, knownSecrets);
    const filled = { ...definition, launch };
    knownSecrets.add(secretsOf(filled));
    const connection = await openConnection(
      filled,
      connectors,
      {
        ...openOptions(definition),
        ...(era !== undefined && { knownEra: era }),
        onToolsChanged: () => current !== undefined && watcher.toolsChanged(current),
        onClosed: (cause) => {
          lost = cause;
          if (current !== undefined) dropped(current, cause);
        },
        onServerLog: watcher.serverLogged,
      },
      clock,
      stop.signal,
      place,
    );
    try {
      if (lost === undefined) await watcher.opened(connection);
    } catch (error) {
      await connection.close();
      throw error;
    }
    if (stop.signal.aborted || lost !== undefined) {
      await connection.close();
      throw new ConnectionError("unreachable", lost ?? "the connection was closed while it opened");
    }
    current = connection;
    era = connection.info.era;
    return connection;
  }

  function dropped(connection: Connection, cause: string): void {
    leases.forget(connection);
    if (state.kind !== "open" || state.connection !== connection) return;
    if (clock.monotonic() - state.since >= HEALTHY_AFTER_MS) failures = 0;
    fail(new ConnectionError("unreachable", cause));
  }

  function fail(error: ConnectionError): void {
    failures += 1;
    const again = !retired && definition.reconnect === "auto" && error.retryable;
    const withdrawRetry = again ? retryLater(backoffMs(failures, clock.random)) : () => undefined;
    state = { kind: "failed", error, at: clock.monotonic(), withdrawRetry };
    watcher.statusChanged("error", error.message);
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

  async function lease(signal: AbortSignal): Promise<Lease> {
    if (retired) throw new ConnectionError("unreachable", "the server was changed or removed in the configuration");
    if (state.kind === "failed" && !mayAskAgain(state)) throw state.error;
    const connection = await open(signal);
    return leases.take(connection, () => replace(connection));
  }

  function mayAskAgain({ at }: { at: number }): boolean {
    return definition.reconnect === "auto" && clock.monotonic() - at >= ASK_AGAIN_AFTER_MS;
  }

  function replace(connection: Connection): void {
    if (state.kind !== "open" || state.connection !== connection) return;
    state = { kind: "idle" };
    watcher.statusChanged("disconnected", "replaced: the server did not let go of a call");
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
    if (was.kind !== "idle") watcher.statusChanged("disconnected");
  }

  async function retire(): Promise<void> {
    retired = true;
    if (state.kind === "open") await leases.idle(state.connection);
    await close();
  }

  function status(): ReturnType<ManagedLink["status"]> {
    if (state.kind === "open") return { status: "connected", info: state.connection.info };
    if (state.kind === "opening") return { status: "connecting" };
    if (state.kind === "failed") return { status: "error", cause: state.error.message };
    return { status: "disconnected" };
  }

  return { definition, open, lease, close, retire, status };
}

/** Waits with the others without being able to end their attempt. */
function untilAborted<T>(attempt: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new ConnectionError("cancelled", "cancelled while the server was connecting"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    attempt.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
