import { delay } from "../async/delay.ts";
import type { Clock } from "../ports/clock.ts";
import type { ServerEntry } from "../servers/servers.ts";
import { openEntry } from "../servers/start-servers.ts";

/** Tracks a session's servers until each has connected for the first time, or has failed or run out of time. */
export interface FirstConnections {
  connect(entry: ServerEntry): void;
  /** The names of servers that are still connecting for the first time and are within their timeout. */
  connecting(): readonly string[];
  /** Resolves when no server is connecting for the first time any more, or when the signal is aborted. */
  ready(signal: AbortSignal): Promise<void>;
}

export interface FirstConnectionsDeps {
  readonly clock: Clock;
  readonly connected: (entry: ServerEntry) => Promise<void>;
  readonly failed: (entry: ServerEntry, cause: string) => void;
}

export function createFirstConnections({ clock, connected, failed }: FirstConnectionsDeps): FirstConnections {
  const attempts = new Map<ServerEntry, Promise<unknown>>();
  return {
    connect(entry) {
      const over = new AbortController();
      const attempt = openEntry(entry, new AbortController().signal).then(async (failure) => {
        over.abort();
        if (failure === undefined) await connected(entry);
        else failed(entry, failure.message);
      });
      const attemptInTime = Promise.race([attempt, delay(entry.definition.timeoutMs, clock, over.signal)]);
      attempts.set(entry, attemptInTime);
      void attemptInTime.then(() => attempts.delete(entry));
    },
    connecting: () => Array.from(attempts.keys(), ({ definition }) => definition.name),
    ready: (signal) => allSettledOrAborted(signal, [...attempts.values()]),
  };
}

function allSettledOrAborted(signal: AbortSignal, waiting: readonly Promise<unknown>[]): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      signal.removeEventListener("abort", finish);
      resolve();
    };
    signal.addEventListener("abort", finish);
    if (signal.aborted) finish();
    void Promise.all(waiting).then(finish);
  });
}
