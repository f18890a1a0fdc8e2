import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Embeddings } from "@tacklebox/core";
import { toKey } from "./parameters.ts";
import { prepareLazily } from "./prepare-lazily.ts";
import type { GroupWriter } from "./writing/group-writer.ts";

const SAVE = "INSERT OR REPLACE INTO embeddings (model, key, vector) VALUES (?, ?, ?)";
const LOAD = "SELECT vector FROM embeddings WHERE model = ? AND key = ?";
/** Removes the vectors saved longest ago: tools and models come and go, so these are the least likely to be used. */
const REMOVE_OLDEST = "DELETE FROM embeddings WHERE seq <= (SELECT max(seq) FROM embeddings) - ?";
const MAX_KEPT = 20_000;
const BYTES = Float32Array.BYTES_PER_ELEMENT;

export function createEmbeddings(database: DatabaseSyncInstance, writer: GroupWriter): Embeddings {
  const save = prepareLazily(database, SAVE);
  const load = prepareLazily(database, LOAD);
  const removeOldest = prepareLazily(database, REMOVE_OLDEST);

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
        removeOldest().run(MAX_KEPT);
      });
    },
  };
}

/** 32-bit floats take half the space and are precise enough for comparing directions. */
function toBytes(vector: readonly number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(vector).buffer);
}

/** Undefined if the bytes cannot be a vector; the caller then computes it again. */
function fromBytes(bytes: unknown): readonly number[] | undefined {
  if (!(bytes instanceof Uint8Array) || bytes.length === 0 || bytes.length % BYTES !== 0) return undefined;
  // Copied, because a row's bytes may start at an unaligned offset of their buffer.
  return Array.from(new Float32Array(Uint8Array.from(bytes).buffer));
}
