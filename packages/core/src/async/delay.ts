import type { StopSignal } from "./stop.ts";

interface Timer {
  after(ms: number, task: () => void): () => void;
}

/** Waits; false when the signal came first. */
export function delay(ms: number, timer: Timer, signal: StopSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (waited: boolean) => {
      withdraw();
      signal.removeEventListener("abort", abort);
      resolve(waited);
    };
    const abort = () => finish(false);
    const withdraw = timer.after(ms, () => finish(true));
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
  });
}
