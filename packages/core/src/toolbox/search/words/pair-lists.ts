const FIRST_PAIRS = 1_024;

/**
 * Many growing lists of number pairs in one block of memory: a typed array per list would cost more than its content.
 */
export interface PairLists {
  /**
   * The memory of all lists: list `l` starts at `startOf(l)`, with two numbers per pair. Valid until the next `append`.
   */
  block(): Int32Array;
  startOf(list: number): number;
  lengthOf(list: number): number;
  /** Appends a pair. Lists are numbered from 0 and are created by their first pair. */
  append(list: number, first: number, second: number): void;
}

export function createPairLists(): PairLists {
  let block = new Int32Array(FIRST_PAIRS * 2);
  let used = 0;
  let starts = new Int32Array(FIRST_PAIRS);
  let lengths = new Int32Array(FIRST_PAIRS);
  let capacities = new Int32Array(FIRST_PAIRS);

  function makeRoom(list: number): void {
    const length = lengths[list] ?? 0;
    const capacity = length === 0 ? 1 : length * 2;
    block = grown(block, used + capacity * 2);
    const start = starts[list] ?? 0;
    block.copyWithin(used, start, start + length * 2);
    starts[list] = used;
    capacities[list] = capacity;
    used += capacity * 2;
  }

  return {
    block: () => block,
    startOf: (list) => starts[list] ?? 0,
    lengthOf: (list) => lengths[list] ?? 0,
    append(list, first, second) {
      if (list >= starts.length) {
        starts = grown(starts, list + 1);
        lengths = grown(lengths, list + 1);
        capacities = grown(capacities, list + 1);
      }
      const length = lengths[list] ?? 0;
      if (length === capacities[list]) makeRoom(list);
      const at = (starts[list] ?? 0) + length * 2;
      block[at] = first;
      block[at + 1] = second;
      lengths[list] = length + 1;
    },
  };
}

type Numbers = Int8Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Float32Array<ArrayBuffer>;

/** Returns the same array if it is long enough, otherwise a longer copy. */
export function grown<T extends Numbers>(array: T, needed: number): T {
  if (needed <= array.length) return array;
  const length = Math.max(needed, Math.ceil(array.length * 1.5));
  const longer = new (array.constructor as new (length: number) => T)(length);
  longer.set(array);
  return longer;
}
