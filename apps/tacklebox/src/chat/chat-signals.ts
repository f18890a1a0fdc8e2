import type { ProcessControl } from "../io.ts";
import type { ChatSignals } from "./run-chat.ts";

export interface ChatSignalSource extends ChatSignals {
  /** Handles a Ctrl-C that no line consumed: cancels the current run, if there is one. */
  cancel(): void;
  close(): void;
}

/** Turns process signals into chat signals. */
export function watchChatSignals(control: ProcessControl): ChatSignalSource {
  const over = new AbortController();
  const listeners: (() => void)[] = [];
  const leave = () => over.abort();
  const interrupt = () => {
    const listener = listeners.at(-1) ?? leave;
    listener();
  };
  const cancel = () => listeners.at(-1)?.();
  const stops = [
    control.onSignal("SIGINT", interrupt),
    control.onSignal("SIGTERM", leave),
    control.onSignal("SIGHUP", leave),
  ];
  return {
    over: over.signal,
    leave,
    cancel,
    onInterrupt(listener) {
      listeners.push(listener);
      return () => void listeners.splice(listeners.indexOf(listener), 1);
    },
    close() {
      for (const stop of stops) stop();
    },
  };
}
