/**
 * Stores short-lived values under small numbers that are reused. A Map or a Set would do, but whenever one of those
 * rebuilds its table, the old table keeps its values alive until the next full garbage collection: every call of the last
 * minute and everything it refers to.
 */
export class FreeList<V extends object> {
  readonly #values: (V | undefined)[] = [];
  readonly #free: number[] = [];

  /** Returns the slot the value is stored in. */
  add(value: V): number {
    const slot = this.#take();
    this.#values[slot] = value;
    return slot;
  }

  /** Stores what `make` returns, for values that need to know their own slot. */
  fill<T extends V>(make: (slot: number) => T): T {
    const slot = this.#take();
    const value = make(slot);
    this.#values[slot] = value;
    return value;
  }

  at(slot: number): V | undefined {
    return this.#values[slot];
  }

  /** Must be called once for each `add`; the slot is reused afterwards. */
  free(slot: number): void {
    this.#values[slot] = undefined;
    this.#free.push(slot);
  }

  #take(): number {
    return this.#free.pop() ?? this.#values.push(undefined) - 1;
  }

  /** A snapshot, so that the reader may add and free while it goes through them. */
  values(): readonly V[] {
    return this.#values.filter((value) => value !== undefined);
  }
}
