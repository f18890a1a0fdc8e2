/** A JSON object as received: nothing is known about its members yet. */
export type Members = Readonly<Record<string, unknown>>;

// Core has the same function, but loading core takes most of the start-up time, and this is needed before.
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
