import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { KNOWN_ANSWER } from "../testing/known-answer.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { testMembership } from "../testing/test-membership.ts";
import { createMemoryRecords } from "../vault/memory-records.ts";
import { openNodeVault } from "../vault/node.ts";
import type { SecretRecords } from "../vault/secret-record.ts";
import { openSqliteStore } from "./index.ts";

const { record } = KNOWN_ANSWER;
const options = testMembership();

async function withSqliteRecords(use: (records: SecretRecords) => Promise<void>): Promise<void> {
  await using folder = await createTemporaryFolder();
  const store = await openSqliteStore({ ...options, file: folder.at("tacklebox.db") });
  await use(store.secrets);
  await store.close();
}

const IMPLEMENTATIONS: readonly [string, typeof withSqliteRecords][] = [
  ["SQLite", withSqliteRecords],
  ["memory", (use) => use(createMemoryRecords())],
];

describe.each(IMPLEMENTATIONS)("secret records in %s", (_name, withRecords) => {
  it("come back as they were saved, listed by name", () =>
    withRecords(async (records) => {
      const other = { ...record, name: "a" };
      await records.save(record);
      await records.save(other);
      expect(await records.load(record.name)).toEqual(record);
      expect(await records.list()).toEqual([other, record]);
      expect(await records.load("b")).toBeUndefined();
    }));

  it("are replaced by name", () =>
    withRecords(async (records) => {
      await records.save(record);
      await records.save({ ...record, rev: 4, ciphertext: "AAAA" });
      expect(await records.list()).toEqual([{ ...record, rev: 4, ciphertext: "AAAA" }]);
    }));

  it("are removed, once", () =>
    withRecords(async (records) => {
      await records.save(record);
      expect([await records.remove(record.name), await records.remove(record.name)]).toEqual([true, false]);
      expect(await records.list()).toEqual([]);
    }));
});

describe("a vault in SQLite", () => {
  it("S1.47 leaves no trace of a value in any file of its folder, open or closed", async () => {
    await using folder = await createTemporaryFolder();
    const canary = "canary-51ab7e90cd";
    const store = await openSqliteStore({ ...options, file: folder.at("tacklebox.db") });
    const keychain = () => Promise.reject(new Error("no keychain here"));
    const vault = openNodeVault({ dataFolder: folder.path, records: store.secrets, env: {}, now: () => 0, keychain });
    await vault.put("a", canary);
    await vault.put("a", `${canary}-2`);
    await vault.rotate();
    expect(await vault.use("a", (value) => value)).toBe(`${canary}-2`);
    const open = await bytesBelow(folder.path);
    await store.close();
    for (const bytes of [...open, ...(await bytesBelow(folder.path))]) {
      for (const form of [canary, btoa(canary).replace(/=+$/, ""), Buffer.from(canary).toString("hex")])
        expect(bytes.includes(form)).toBe(false);
    }
  });
});

async function bytesBelow(folder: string): Promise<readonly Buffer[]> {
  return Promise.all((await readdir(folder)).map((name) => readFile(`${folder}/${name}`)));
}
