/** What a call needs of an AbortSignal; a real one will do, and so will `Stop`. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Ends one call or request. An AbortController of its own for each would cost more than most of our work on it. */
export class Stop implements StopSignal {
  aborted = false;
  #listeners: (() => void)[] = [];

  /** Each listener is told once at most. */
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
    const told = this.#listeners;
    this.#listeners = [];
    for (const listener of told) listener();
  }
}

/** For whoever insists on a real one, such as fetch. */
export function toAbortSignal(stop: StopSignal): AbortSignal {
  const controller = new AbortController();
  stop.addEventListener("abort", () => controller.abort(), { once: true });
  if (stop.aborted) controller.abort();
  return controller.signal;
}
