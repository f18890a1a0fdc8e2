import { grown } from "../words/pair-lists.ts";
import { dotBytes } from "./vector-arithmetic.ts";

/** Steps per 1.0: the numbers of a unit vector are stored as signed bytes, and hardly any is above a half. */
const STEPS = 254;

/** A matrix of unit vectors, one per row, with one byte per number. */
export class ByteMatrix {
  readonly dimensions: number;
  #bytes = new Int8Array(0);

  constructor(dimensions: number) {
    this.dimensions = dimensions;
  }

  /** Makes room for this many rows. */
  reserve(rows: number): void {
    this.#bytes = grown(this.#bytes, rows * this.dimensions);
  }

  set(row: number, vector: Float32Array): void {
    const start = row * this.dimensions;
    for (let at = 0; at < vector.length; at += 1)
      this.#bytes[start + at] = Math.max(-127, Math.min(127, Math.round((vector[at] ?? 0) * STEPS)));
  }

  product(row: number, vector: Float32Array): number {
    return dotBytes(this.#bytes, row * this.dimensions, vector) / STEPS;
  }

  addRowTo(sum: Float32Array, row: number): void {
    const start = row * this.dimensions;
    for (let at = 0; at < this.dimensions; at += 1) sum[at] = (sum[at] ?? 0) + (this.#bytes[start + at] ?? 0) / STEPS;
  }
}
