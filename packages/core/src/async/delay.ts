import type { StopSignal } from "./stop.ts";

interface Timer {
  after(ms: number, task: () => void): () => void;
}

/** Waits `ms`; resolves to false if the signal is aborted first. */
export function delay(ms: number, timer: Timer, signal: StopSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (waited: boolean) => {
      cancel();
      signal.removeEventListener("abort", abort);
      resolve(waited);
    };
    const abort = () => finish(false);
    const cancel = timer.after(ms, () => finish(true));
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
  });
}
