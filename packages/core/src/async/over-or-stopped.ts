import type { StopSignal } from "./stop.ts";

/** Resolves when `work` is over, or at once when the signal is aborted. `work` must not reject. */
export function overOrStopped(work: Promise<unknown>, signal: StopSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      signal.removeEventListener("abort", finish);
      resolve();
    };
    signal.addEventListener("abort", finish);
    if (signal.aborted) finish();
    void work.then(finish);
  });
}
