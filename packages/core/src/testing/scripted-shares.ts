import type { Shares } from "../ports/shares.ts";

export interface ScriptedShares extends Shares {
  /** The grant of each gate; its whole limit if nothing is set. */
  readonly grants: Map<string, number>;
  /** Chunks of calls that can be taken from each rate, in order; none if nothing is set. */
  readonly chunks: Map<string, number[]>;
  /** Every `noteUse`, in order. */
  readonly notes: { readonly key: string; readonly inUse: number; readonly waiting: number }[];
  /** The keys passed to `takeCalls`, in order. */
  readonly asked: string[];
  /** Sets a grant and notifies the listeners. */
  grant(key: string, count: number): void;
  /** Adds a chunk of calls to a rate and notifies the listeners. */
  addCalls(key: string, count: number): void;
}

/** Shares whose grants a test controls. */
export function createScriptedShares(): ScriptedShares {
  const grants = new Map<string, number>();
  const chunks = new Map<string, number[]>();
  const notes: ScriptedShares["notes"] = [];
  const asked: string[] = [];
  const slotListeners: ((key: string) => void)[] = [];
  const rateListeners: ((key: string) => void)[] = [];
  return {
    grants,
    chunks,
    notes,
    asked,
    grant(key, count) {
      grants.set(key, count);
      for (const listener of slotListeners) listener(key);
    },
    addCalls(key, count) {
      chunks.set(key, [...(chunks.get(key) ?? []), count]);
      for (const listener of rateListeners) listener(key);
    },
    slots: {
      granted: (key, limit) => grants.get(key) ?? limit,
      onChange: (listener) => void slotListeners.push(listener),
      noteUse: (key, inUse, waiting) => void notes.push({ key, inUse, waiting }),
    },
    rates: {
      takeCalls(key) {
        asked.push(key);
        return chunks.get(key)?.shift() ?? 0;
      },
      onChange: (listener) => void rateListeners.push(listener),
    },
  };
}
