import { hash } from "node:crypto";
import type { Hasher } from "@tacklebox/core";

/** Hashes synchronously: WebCrypto sends every text to another thread, which costs more than the hashing itself. */
export const nodeHasher: Hasher = {
  sha256: async (text) => hash("sha256", text),
};
