import { delay } from "../async/delay.ts";
import { overOrStopped } from "../async/over-or-stopped.ts";
import type { ConnectionError } from "../domain/connection.ts";
import type { Clock } from "../ports/clock.ts";
import type { ServerEntry } from "./servers.ts";
import { openEntry } from "./start-servers.ts";

/** A server that connects for the first time while others are already in use. */
export interface FirstConnection {
  readonly entry: ServerEntry;
  /** When it began, on the monotonic clock. */
  readonly since: number;
  /** Settles when the server is up, has failed or has run out of time. Never rejects. */
  readonly over: Promise<void>;
}

/** Keeps track of servers that join later, until each has connected for the first time or has failed. */
export interface FirstConnections {
  /** Opens a server. With `withinMs` it stops counting as connecting after that time, though the attempt goes on. */
  connect(entry: ServerEntry, ended: FirstConnectionEnded, withinMs?: number): void;
  connecting(): readonly FirstConnection[];
  /** Resolves when no server is connecting for the first time any more, or when the signal is aborted. */
  ready(signal: AbortSignal): Promise<void>;
}

/** Called with the failure, or with undefined if the server is up; awaited before the connection counts as over. */
export type FirstConnectionEnded = (entry: ServerEntry, failure: ConnectionError | undefined) => Promise<void> | void;

const NONE: readonly FirstConnection[] = [];

export function createFirstConnections(clock: Clock): FirstConnections {
  const connections = new Map<ServerEntry, FirstConnection>();
  return {
    connect(entry, ended, withinMs) {
      const answered = new AbortController();
      const attempt = openEntry(entry, new AbortController().signal).then((failure) => {
        answered.abort();
        return ended(entry, failure);
      });
      const inTime =
        withinMs === undefined ? attempt : Promise.race([attempt, delay(withinMs, clock, answered.signal)]);
      const over = inTime.then(() => {
        if (connections.get(entry) === connection) connections.delete(entry);
      });
      const connection = { entry, since: clock.monotonic(), over };
      connections.set(entry, connection);
    },
    // Every call asks, and almost always there are none.
    connecting: () => (connections.size === 0 ? NONE : [...connections.values()]),
    ready: (signal) => overOrStopped(Promise.all(Array.from(connections.values(), ({ over }) => over)), signal),
  };
}
