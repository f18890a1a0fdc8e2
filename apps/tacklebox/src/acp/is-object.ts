/** A JSON object as received: nothing is known about its members yet. */
export type Members = Readonly<Record<string, unknown>>;

// Core has the same question. This one may be asked before core is loaded, which takes most of the start-up time.
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
