import { VaultError } from "@tacklebox/core";
import { vaultContract } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { createMemoryKeyRing } from "./memory-key-ring.ts";
import { createMemoryRecords } from "./memory-records.ts";
import type { SecretRecord } from "./secret-record.ts";
import { createVault } from "./vault.ts";

const NOW = Date.UTC(2026, 7, 1, 12);

function setUp() {
  const records = createMemoryRecords();
  const keys = createMemoryKeyRing();
  return { records, keys, vault: createVault({ records, keys, now: () => NOW }) };
}

async function loaded(records: ReturnType<typeof createMemoryRecords>, name: string): Promise<SecretRecord> {
  const record = await records.load(name);
  expect.assert(record !== undefined);
  return record;
}

/** The outcome of reading: a value, or the code of a VaultError. Anything else fails the test. */
async function outcome(reading: Promise<string>): Promise<string> {
  try {
    return await reading;
  } catch (error) {
    expect.assert(error instanceof VaultError, String(error));
    return `VaultError ${error.code}`;
  }
}

const read = (vault: ReturnType<typeof createVault>, name: string) => outcome(vault.use(name, (value) => value));

describe("the vault keeps the vault contract", () => {
  for (const test of vaultContract(async () => setUp().vault)) it(test.name, test.run);
});

describe("the vault", () => {
  it("lends what was put, and lists only its name and when it changed", async () => {
    const { vault } = setUp();
    await vault.put("github", "s3cret-ü🔑");
    await vault.put("api/key:1", "");
    expect(await vault.use("github", (value) => value.length)).toBe("s3cret-ü🔑".length);
    expect(await read(vault, "api/key:1")).toBe("");
    expect(await vault.list()).toEqual([
      { name: "api/key:1", updatedAt: "2026-08-01T12:00:00.000Z" },
      { name: "github", updatedAt: "2026-08-01T12:00:00.000Z" },
    ]);
  });

  it("replaces the value of a name that exists, and counts", async () => {
    const { vault, records } = setUp();
    await vault.put("a", "one");
    await vault.put("a", "two");
    expect(await read(vault, "a")).toBe("two");
    expect((await loaded(records, "a")).rev).toBe(2);
  });

  it("forgets, and reports if there was nothing to forget", async () => {
    const { vault, records } = setUp();
    await vault.put("a", "one");
    expect([await vault.forget("a"), await vault.forget("a")]).toEqual([true, false]);
    expect(await read(vault, "a")).toBe("VaultError not-found");
    expect(await records.list()).toEqual([]);
  });

  it.each(["", " a", "_check", "-a", "a b", "a\n", "é", "a".repeat(201)])("refuses the name %j", async (name) => {
    const { vault } = setUp();
    const refusal = { code: "invalid-name", name: "VaultError" };
    await expect(vault.put(name, "x")).rejects.toMatchObject(refusal);
    await expect(vault.use(name, String)).rejects.toMatchObject(refusal);
    await expect(vault.forget(name)).rejects.toMatchObject(refusal);
  });

  it("S1.47 stores nothing in plain text, and never the same value twice the same way", async () => {
    const { vault, records } = setUp();
    await vault.put("a", "canary-7f3a");
    await vault.put("b", "canary-7f3a");
    const [a, b] = [await loaded(records, "a"), await loaded(records, "b")];
    for (const form of ["canary-7f3a", btoa("canary-7f3a").slice(0, 12)])
      expect(JSON.stringify(await records.list())).not.toContain(form);
    for (const field of ["nonce", "wrapNonce", "ciphertext", "wrappedDek"] as const)
      expect(a[field]).not.toBe(b[field]);
  });

  it("keeps its keys unexportable", async () => {
    const { vault, keys } = setUp();
    await vault.put("a", "one");
    const current = await keys.current();
    expect.assert(current !== undefined);
    await expect(crypto.subtle.exportKey("raw", current.key)).rejects.toThrow("key is not extractable");
  });

  it("refuses a record with any character of any field changed", async () => {
    const { vault, records } = setUp();
    await vault.put("a", "one");
    const intact = await loaded(records, "a");
    const seen = new Set<string>();
    for (const [field, value] of Object.entries(intact)) {
      for (const changed of changesOf(value)) {
        await records.save({ ...intact, [field]: changed, name: "a" });
        // Renaming has its own test: here the row would be another row.
        if (field !== "name") seen.add(`${field}: ${await read(vault, "a")}`);
      }
    }
    expect([...seen].sort()).toEqual([
      "alg: VaultError corrupted",
      "ciphertext: VaultError corrupted",
      "createdAt: VaultError corrupted",
      "kekId: VaultError wrong-key",
      "nonce: VaultError corrupted",
      "rev: VaultError corrupted",
      "updatedAt: VaultError corrupted",
      "v: VaultError corrupted",
      "wrapNonce: VaultError corrupted",
      "wrappedDek: VaultError corrupted",
    ]);
    await records.save(intact);
    expect(await read(vault, "a")).toBe("one");
  });

  it("refuses rows that were renamed or swapped, whole or in part", async () => {
    const { vault, records } = setUp();
    await vault.put("a", "one");
    await vault.put("b", "two");
    const [a, b] = [await loaded(records, "a"), await loaded(records, "b")];
    const mixtures: SecretRecord[] = [
      { ...b, name: "a" },
      { ...a, nonce: b.nonce, ciphertext: b.ciphertext },
      { ...a, wrapNonce: b.wrapNonce, wrappedDek: b.wrappedDek },
    ];
    for (const mixture of mixtures) {
      await records.save(mixture);
      expect(await read(vault, "a")).toBe("VaultError corrupted");
    }
  });

  it("lets a damaged secret be stored again", async () => {
    const { vault, records } = setUp();
    await vault.put("a", "one");
    await records.save({ ...(await loaded(records, "a")), ciphertext: "AAAA" });
    await vault.put("a", "two");
    expect(await read(vault, "a")).toBe("two");
  });

  it.each([
    ["no key", createMemoryKeyRing, "locked"],
    ["another key", keyRingWithKey, "wrong-key"],
  ])("changes nothing with %s", async (_what, otherKeys, code) => {
    const { vault, records } = setUp();
    await vault.put("a", "one");
    const before = await records.list();
    const other = createVault({ records, keys: await otherKeys(), now: () => NOW });
    await expect(other.put("a", "two")).rejects.toMatchObject({ code });
    await expect(other.put("new", "two")).rejects.toMatchObject({ code });
    await expect(other.rotate()).rejects.toMatchObject({ code });
    expect(await read(other, "a")).toBe(`VaultError ${code}`);
    expect(await other.list()).toHaveLength(1);
    expect(await records.list()).toEqual(before);
    expect(await read(vault, "a")).toBe("one");
  });

  it("says what is wrong with the key and what to do", async () => {
    const { vault, records } = setUp();
    await vault.put("a", "one");
    const other = createVault({ records, keys: await keyRingWithKey(), now: () => NOW });
    await expect(other.use("a", String)).rejects.toThrow(
      "The key at hand is not the one of the secret 'a'. Nothing was changed. Bring the old key back, or remove the secrets and store them again.",
    );
    await expect(other.put("b", "x")).rejects.toThrow("The key at hand is not the one of the stored secrets.");
  });

  it("is tied to no key again once its last secret is forgotten", async () => {
    const { vault, records } = setUp();
    await vault.put("a", "one");
    const other = createVault({ records, keys: await keyRingWithKey(), now: () => NOW });
    await other.forget("a");
    await other.put("b", "two");
    expect(await read(other, "b")).toBe("two");
  });

  it("runs puts of one name one after the other", async () => {
    const { vault, records } = setUp();
    await Promise.all(Array.from({ length: 20 }, (_, index) => vault.put("a", `value ${index}`)));
    expect(await read(vault, "a")).toBe("value 19");
    expect((await loaded(records, "a")).rev).toBe(20);
  });
});

describe("rotating", () => {
  it("moves every secret to a fresh key, leaves the values' ciphertext unchanged, and removes the old key", async () => {
    const { vault, records, keys } = setUp();
    await vault.put("a", "one");
    await vault.put("b", "two");
    const [before, old] = [await loaded(records, "a"), await keys.current()];
    expect(await vault.rotate()).toEqual({ rewrapped: 2 });
    const after = await loaded(records, "a");
    expect(after).toEqual({
      ...before,
      kekId: after.kekId,
      wrapNonce: after.wrapNonce,
      wrappedDek: after.wrappedDek,
    });
    expect(after.kekId).not.toBe(before.kekId);
    expect(await keys.byId(old?.id ?? "")).toBeUndefined();
    expect([await read(vault, "a"), await read(vault, "b")]).toEqual(["one", "two"]);
    await vault.put("c", "three");
    expect(await vault.rotate()).toEqual({ rewrapped: 3 });
  });

  it("does nothing in an empty vault", async () => {
    const { vault, keys } = setUp();
    expect(await vault.rotate()).toEqual({ rewrapped: 0 });
    expect(await keys.current()).toBeUndefined();
  });

  it("keeps the old key for a record that does not open, and says which one", async () => {
    const { vault, records, keys } = setUp();
    await vault.put("a", "one");
    await vault.put("b", "two");
    const [old, damaged] = [await keys.current(), await loaded(records, "a")];
    await records.save({ ...damaged, wrappedDek: (await loaded(records, "b")).wrappedDek });
    await expect(vault.rotate()).rejects.toThrow("The stored secret 'a' is damaged, or something else changed it.");
    expect(await keys.byId(old?.id ?? "")).toBeDefined();
    await records.save(damaged);
    expect([await read(vault, "a"), await read(vault, "b")]).toEqual(["one", "two"]);
    expect(await vault.rotate()).toEqual({ rewrapped: 2 });
  });

  it("does not disturb concurrent readers", async () => {
    const { vault, records, keys } = setUp();
    await vault.put("a", "one");
    const stale = await loaded(records, "a");
    let isFirst = true;
    const reader = createVault({
      keys,
      now: () => NOW,
      records: {
        ...records,
        async load(name) {
          const record = isFirst ? stale : await records.load(name);
          isFirst = false;
          return record;
        },
      },
    });
    await vault.rotate();
    expect(await read(reader, "a")).toBe("one");
  });
});

async function keyRingWithKey() {
  const keys = createMemoryKeyRing();
  await keys.add();
  return keys;
}

function changesOf(value: string | number): (string | number)[] {
  if (typeof value === "number") return [value + 1, value - 1];
  const flipped = Array.from(value, (character, index) => {
    // Flips every bit of every base64url character, and something similar for other texts.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const bits = alphabet.indexOf(character);
    const others = bits === -1 ? ["~"] : [1, 2, 4, 8, 16, 32].map((bit) => alphabet.charAt(bits ^ bit));
    return others.map((other) => value.slice(0, index) + other + value.slice(index + 1));
  });
  return [...flipped.flat(), value.slice(1), value.slice(0, -1), `${value}A`, "", `${value}=`];
}
