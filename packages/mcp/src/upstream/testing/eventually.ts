import { vi } from "vitest";

/** Repeats the check until it passes. The timeout is long enough for a busy machine; only a failing test reaches it. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 60_000, interval: 10 });
}
