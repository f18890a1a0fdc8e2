import type { Clock } from "../ports/clock.ts";
import { createBoundedMap } from "./bounded-map.ts";

const MAX_STRIKES = 3;
const REFUSED_FOR_MS = 60_000;

/** Remembers which schemas exceeded their time, so that none of them can keep a worker busy forever. */
export interface Strikes {
  /** Why nothing is checked against this schema for now; undefined if it may be used. */
  refusal(schema: string): string | undefined;
  add(schema: string): void;
  clear(schema: string): void;
}

export function createStrikes(clock: Clock): Strikes {
  const strikes = createBoundedMap<{ readonly count: number; readonly at: number }>();
  return {
    refusal(schema) {
      const known = strikes.get(schema);
      if (known === undefined || known.count < MAX_STRIKES) return undefined;
      const left = known.at + REFUSED_FOR_MS - clock.monotonic();
      if (left <= 0) return undefined;
      return `checks against the tool's schema could not be finished ${MAX_STRIKES} times in a row, so none is tried for ${Math.ceil(left / 1000)} s. Ask the server's author for a simpler schema`;
    },
    // The count is kept, so that after the pause a single failure is enough to refuse the schema again.
    add: (schema) => strikes.set(schema, { count: (strikes.get(schema)?.count ?? 0) + 1, at: clock.monotonic() }),
    clear: (schema) => strikes.delete(schema),
  };
}
