import type { Hasher } from "../ports/hasher.ts";

/** SHA-256 through WebCrypto, which both Node and browsers have. */
export const webHasher: Hasher = {
  async sha256(text) {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  },
};
