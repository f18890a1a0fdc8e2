import { describe, expect, it } from "vitest";
import { KNOWN_ANSWER } from "../testing/known-answer.ts";
import { fromBase64Url } from "./base64url.ts";
import { seal } from "./envelope.ts";
import { importVaultKey } from "./key-ring.ts";
import { createMemoryKeyRing } from "./memory-key-ring.ts";
import { createMemoryRecords } from "./memory-records.ts";
import { createVault } from "./vault.ts";

const { kek, dek, value, record } = KNOWN_ANSWER;

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64Url(text);
  expect.assert(bytes !== undefined);
  return bytes;
}

describe("the known answer of the record format", () => {
  it("is what sealing yields with the same key, nonces and value", async () => {
    const draws = [dek, record.nonce, record.wrapNonce].map(bytesOf);
    const random = (count: number): Uint8Array<ArrayBuffer> => {
      const drawn = draws.shift();
      expect.assert(drawn?.length === count);
      return drawn;
    };
    const { name, rev, createdAt, updatedAt } = record;
    const key = await importVaultKey(record.kekId, bytesOf(kek));
    expect(await seal(value, { name, rev, createdAt, updatedAt }, key, random)).toEqual(record);
  });

  it("opens", async () => {
    const keys = createMemoryKeyRing([await importVaultKey(record.kekId, bytesOf(kek))]);
    const vault = createVault({ keys, records: createMemoryRecords([record]), now: () => 0 });
    expect(await vault.use(record.name, (opened) => opened)).toBe(value);
  });
});
