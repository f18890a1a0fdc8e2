import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Embeddings } from "@tacklebox/core";
import type { GroupWriter } from "./group-writer.ts";
import { prepareLazily } from "./prepare-lazily.ts";
import { toKey } from "./stored-value.ts";

const SAVE = "INSERT OR REPLACE INTO embeddings (model, key, vector) VALUES (?, ?, ?)";
const LOAD = "SELECT vector FROM embeddings WHERE model = ? AND key = ?";
/** Tools and models come and go: what was saved longest ago is what nobody uses any more. */
const FORGET = "DELETE FROM embeddings WHERE seq <= (SELECT max(seq) FROM embeddings) - ?";
const MOST_KEPT = 20_000;
const BYTES = Float32Array.BYTES_PER_ELEMENT;

export function createEmbeddings(database: DatabaseSyncInstance, writer: GroupWriter): Embeddings {
  const save = prepareLazily(database, SAVE);
  const load = prepareLazily(database, LOAD);
  const forget = prepareLazily(database, FORGET);

  return {
    async load(model, keys) {
      const vectors = new Map<string, readonly number[]>();
      for (const key of keys) {
        const row: { readonly vector?: unknown } | undefined = load().get(toKey(model), toKey(key));
        const vector = fromBytes(row?.vector);
        if (vector !== undefined) vectors.set(key, vector);
      }
      return vectors;
    },
    async save(model, vectors) {
      const rows = Array.from(vectors, ([key, vector]) => [toKey(key), toBytes(vector)] as const);
      await writer.write(() => {
        for (const [key, vector] of rows) save().run(toKey(model), key, vector);
        forget().run(MOST_KEPT);
      });
    },
  };
}

/** Half the size of numbers, and near enough for what is compared by its direction. */
function toBytes(vector: readonly number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(vector).buffer);
}

/** Undefined for what cannot be a vector: it is made anew then. */
function fromBytes(bytes: unknown): readonly number[] | undefined {
  if (!(bytes instanceof Uint8Array) || bytes.length === 0 || bytes.length % BYTES !== 0) return undefined;
  // Copied: the bytes of a row may begin anywhere in their buffer.
  return Array.from(new Float32Array(Uint8Array.from(bytes).buffer));
}
