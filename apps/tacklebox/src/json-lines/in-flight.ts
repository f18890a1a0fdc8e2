/** Limits how many lines, and how many bytes of them, are being worked on at once. */
export interface LinesInFlight {
  /** Resolves when there is room, or when `signal` is aborted. */
  waitForRoom(signal: AbortSignal): Promise<void>;
  add(work: Promise<void>, bytes: number): void;
  /** Resolves when all work has ended; rejects with the first failure. */
  allEnded(): Promise<void>;
}

export function createInFlight(most: { readonly count: number; readonly bytes: number }): LinesInFlight {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let held = 0;
  let wake: () => void = () => undefined;
  const isFull = () => running.size >= most.count || held >= most.bytes;

  return {
    async waitForRoom(signal) {
      while (isFull() && !signal.aborted) {
        const { promise, resolve } = newSignal();
        wake = resolve;
        signal.addEventListener("abort", resolve, { once: true });
        await promise;
        signal.removeEventListener("abort", resolve);
      }
    },
    add(work, bytes) {
      held += bytes;
      const tracked = work
        .catch((error: unknown) => void failures.push(error))
        .then(() => {
          held -= bytes;
          running.delete(tracked);
          wake();
        });
      running.add(tracked);
    },
    async allEnded() {
      await Promise.all(running);
      if (failures.length > 0) throw failures[0];
    },
  };
}

function newSignal(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
