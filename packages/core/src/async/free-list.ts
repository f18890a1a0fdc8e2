/**
 * Holds what stays a moment, thousands of times a second, under small numbers that are used again. A Map or a Set would
 * do, but each time one rebuilds its table the old table keeps what it held from being collected until the next full
 * collection: every call of the last minute, with all that it refers to.
 */
export class FreeList<V extends object> {
  readonly #values: (V | undefined)[] = [];
  readonly #free: number[] = [];

  /** Returns the number of its slot. */
  add(value: V): number {
    const slot = this.#take();
    this.#values[slot] = value;
    return slot;
  }

  /** For values that know the number of their slot. */
  fill<T extends V>(make: (slot: number) => T): T {
    const slot = this.#take();
    const value = make(slot);
    this.#values[slot] = value;
    return value;
  }

  at(slot: number): V | undefined {
    return this.#values[slot];
  }

  /** Once for each `add`: the slot is given to somebody else afterwards. */
  free(slot: number): void {
    this.#values[slot] = undefined;
    this.#free.push(slot);
  }

  #take(): number {
    return this.#free.pop() ?? this.#values.push(undefined) - 1;
  }

  /** As they are now; whatever the reader does may change the slots. */
  values(): readonly V[] {
    return this.#values.filter((value) => value !== undefined);
  }
}
