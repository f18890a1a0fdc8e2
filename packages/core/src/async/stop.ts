/** The part of AbortSignal that a call needs. Both a real AbortSignal and a `Stop` fit. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Cancels one call or request. An AbortController for each would cost more than most of the other work on a call. */
export class Stop implements StopSignal {
  aborted = false;
  #listeners: (() => void)[] = [];

  /** Calls each listener at most once. */
  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const index = this.#listeners.indexOf(listener);
    if (index !== -1) this.#listeners.splice(index, 1);
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}

/** Converts to a real AbortSignal, for APIs such as fetch that need one. */
export function toAbortSignal(stop: StopSignal): AbortSignal {
  const controller = new AbortController();
  stop.addEventListener("abort", () => controller.abort(), { once: true });
  if (stop.aborted) controller.abort();
  return controller.signal;
}
