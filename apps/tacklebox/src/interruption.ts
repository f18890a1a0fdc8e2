import { EXIT } from "./exit-code.ts";
import type { ProcessControl } from "./io.ts";

export interface Interruption {
  /** A person pressed Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** The system asked the process to end: SIGTERM, or SIGHUP because the terminal was closed. */
  readonly terminated: AbortSignal;
  dispose(): void;
}

/** Turns process signals into abort signals. A second Ctrl-C ends the process at once. */
export function watchSignals(control: ProcessControl): Interruption {
  const interrupted = new AbortController();
  const terminated = new AbortController();
  const stopWatching = [
    control.onSignal("SIGINT", () => {
      if (interrupted.signal.aborted) control.exitNow(EXIT.interrupted);
      interrupted.abort();
    }),
    control.onSignal("SIGTERM", () => terminated.abort()),
    control.onSignal("SIGHUP", () => terminated.abort()),
  ];
  return {
    interrupted: interrupted.signal,
    terminated: terminated.signal,
    dispose: () => {
      for (const stop of stopWatching) stop();
    },
  };
}
