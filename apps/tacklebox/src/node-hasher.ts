import { hash } from "node:crypto";
import type { Hasher } from "@tacklebox/core";

/** SHA-256 on the spot. WebCrypto sends every text to another thread, which for thousands of tools costs more than hashing. */
export const nodeHasher: Hasher = {
  sha256: async (text) => hash("sha256", text),
};
