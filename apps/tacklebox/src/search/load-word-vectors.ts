import { readFile } from "node:fs/promises";

/** Beside this file, once it is bundled. */
const VECTORS_FILE = new URL("./word-vectors.bin", import.meta.url);

export function readWordVectors(file = VECTORS_FILE): Promise<Uint8Array> {
  return readFile(file);
}
