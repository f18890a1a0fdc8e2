import { vi } from "vitest";

/** Repeats the check until it passes. The limit only bounds a test that has already failed, also on a busy machine. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 60_000, interval: 10 });
}
