/** An LRU cache, so that a server that keeps listing new schemas cannot fill the memory. */
export interface BoundedMap<V> {
  get(text: string): V | undefined;
  set(text: string, value: V): void;
  delete(text: string): void;
}

const MAX_ENTRIES = 500;
const MAX_CHARACTERS = 4_000_000;

export function createBoundedMap<V>(): BoundedMap<V> {
  // A Map keeps its keys in the order in which they were set.
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
        if (entries.size <= MAX_ENTRIES && characters <= MAX_CHARACTERS) break;
        forget(oldest);
      }
    },
    delete: forget,
  };
}
