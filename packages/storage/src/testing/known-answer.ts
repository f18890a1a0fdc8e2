import type { SecretRecord } from "../vault/secret-record.ts";

/**
 * One record and everything it was made from (docs/decisions/0004). It was made with another AES-GCM implementation, so
 * that a change of the format cannot go unnoticed: a vault in a browser, or of an earlier version, must read and write
 * exactly this.
 */
export const KNOWN_ANSWER = {
  kek: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
  dek: "QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8",
  value: "ghp_known answer ü",
  record: {
    v: 1,
    alg: "A256GCM",
    name: "github/token",
    kekId: "key-one",
    wrapNonce: "oKGio6Slpqeoqaqr",
    wrappedDek: "plk-bgGORPgqLM2YSzeOkSD9C0PG4hQ7xFd83SP2K14mGa38QZ9rRlcIW80Y4zLa",
    nonce: "gIGCg4SFhoeIiYqL",
    ciphertext: "SjbOmEkaRfQGSvFGAdXwUNg_dVwGmYPtpGlnsaUL-PLd1fU",
    createdAt: "2026-08-01T12:00:00.000Z",
    updatedAt: "2026-08-02T12:00:00.000Z",
    rev: 3,
  } satisfies SecretRecord,
} as const;
