/** A queue in which owners take turns, however many items each of them has waiting. */
export interface FairQueue<T> {
  readonly length: number;
  lengthOf(owner: string): number;
  add(owner: string, item: T): void;
  /** Returns false if the item is no longer waiting. */
  remove(owner: string, item: T): boolean;
  takeNext(): T | undefined;
}

export function createFairQueue<T>(): FairQueue<T> {
  // A Map keeps its keys in the order in which they were set: the first owner is next.
  const waiting = new Map<string, T[]>();
  let length = 0;
  return {
    get length() {
      return length;
    },
    lengthOf: (owner) => waiting.get(owner)?.length ?? 0,
    add(owner, item) {
      length += 1;
      const items = waiting.get(owner);
      if (items === undefined) waiting.set(owner, [item]);
      else items.push(item);
    },
    remove(owner, item) {
      const items = waiting.get(owner) ?? [];
      const at = items.indexOf(item);
      if (at < 0) return false;
      length -= 1;
      items.splice(at, 1);
      if (items.length === 0) waiting.delete(owner);
      return true;
    },
    takeNext() {
      for (const [owner, items] of waiting) {
        const next = items.shift();
        waiting.delete(owner);
        if (items.length > 0) waiting.set(owner, items);
        length -= 1;
        return next;
      }
      return undefined;
    },
  };
}
