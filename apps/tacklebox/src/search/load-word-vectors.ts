import { readFile } from "node:fs/promises";

/** The build puts it next to the bundle of this file. */
const VECTORS_FILE = new URL("./word-vectors.bin", import.meta.url);

export function readWordVectors(file = VECTORS_FILE): Promise<Uint8Array> {
  return readFile(file);
}
