import type { Gate } from "./gate.ts";
import type { Rooms } from "./rooms.ts";

/** The room that one call has taken, gate by gate in order. */
export class Hold {
  readonly kind = "taken";
  readonly #gates: readonly Gate[];
  readonly #rooms: Rooms;
  /** The number of gates in which the call has room. */
  #held = 0;

  constructor(gates: readonly Gate[], rooms: Rooms) {
    this.#gates = gates;
    this.#rooms = rooms;
  }

  /** Takes room gate by gate; returns the first gate that is full, if any. */
  advance(): Gate | undefined {
    for (; this.#held < this.#gates.length; this.#held += 1) {
      const gate = this.#gates[this.#held];
      if (gate === undefined || !this.#rooms.take(gate)) return gate;
    }
    return undefined;
  }

  /** Records that the call was given room in the gate it waited at. */
  admitted(): void {
    this.#held += 1;
  }

  /** Frees all room, last gate first. A second call has no effect. */
  release(): void {
    while (this.#held > 0) {
      this.#held -= 1;
      this.#rooms.leave(this.#gates[this.#held]?.key ?? "");
    }
  }
}
