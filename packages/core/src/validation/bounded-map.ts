/** Forgets what was used longest ago, so that a server that lists new schemas for ever fills no memory. */
export interface BoundedMap<V> {
  get(text: string): V | undefined;
  set(text: string, value: V): void;
  delete(text: string): void;
}

const MOST_ENTRIES = 500;
const MOST_CHARACTERS = 4_000_000;

export function createBoundedMap<V>(): BoundedMap<V> {
  // A map keeps its keys in the order in which they were set.
  const entries = new Map<string, V>();
  let characters = 0;
  const forget = (text: string) => {
    if (entries.delete(text)) characters -= text.length;
  };
  return {
    get(text) {
      const value = entries.get(text);
      if (value === undefined) return undefined;
      entries.delete(text);
      entries.set(text, value);
      return value;
    },
    set(text, value) {
      forget(text);
      entries.set(text, value);
      characters += text.length;
      for (const oldest of entries.keys()) {
        if (entries.size <= MOST_ENTRIES && characters <= MOST_CHARACTERS) break;
        forget(oldest);
      }
    },
    delete: forget,
  };
}
