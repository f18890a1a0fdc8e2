import { copyFile, stat } from "node:fs/promises";
import type { Store } from "@tacklebox/core";
import { type StoreContractOptions, storeContract } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { sampleCall } from "../testing/sample-call.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { testMembership } from "../testing/test-membership.ts";
import { openSqliteStore } from "./index.ts";

const options = { ...testMembership(), now: () => Date.UTC(2026, 7, 1, 12) };

describe("the SQLite store", () => {
  for (const test of storeContract(async (contract) => {
    const folder = await createTemporaryFolder();
    const join = (options: StoreContractOptions): Promise<Store> =>
      openSqliteStore({ ...options, file: folder.at("tacklebox.db") });
    const store = await join(contract);
    return {
      store,
      join,
      reopen: () => join(contract),
      async cleanup() {
        await store.close();
        await folder[Symbol.asyncDispose]();
      },
    };
  })) {
    it(test.name, () => test.run());
  }

  it("creates folders and files that only this user can read", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("deep/er/tacklebox.db");
    const store = await openSqliteStore({ ...options, file });
    await store.calls.save(sampleCall());
    const modes: Record<string, number> = {};
    for (const path of ["deep", "deep/er", "deep/er/tacklebox.db", "deep/er/tacklebox.db-wal"]) {
      modes[path] = (await stat(folder.at(path))).mode & 0o777;
    }
    await store.close();
    expect(modes).toEqual({
      deep: 0o700,
      "deep/er": 0o700,
      "deep/er/tacklebox.db": 0o600,
      "deep/er/tacklebox.db-wal": 0o600,
    });
  });

  it("leaves everything in the one file when it is closed", async () => {
    await using folder = await createTemporaryFolder();
    const store = await openSqliteStore({ ...options, file: folder.at("tacklebox.db"), synchronous: "NORMAL" });
    await store.calls.save(sampleCall());
    await store.close();
    await copyFile(folder.at("tacklebox.db"), folder.at("copy.db"));
    const copy = await openSqliteStore({ ...options, file: folder.at("copy.db") });
    expect(await copy.calls.load("call-1")).toStrictEqual(sampleCall());
    await copy.close();
  });

  it("refuses saves after close with the file's name and what to do", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("tacklebox.db");
    const store = await openSqliteStore({ ...options, file });
    await store.close();
    await expect(store.calls.save(sampleCall())).rejects.toMatchObject({
      code: "closed",
      message: `The store ${file} is closed; open it again to write to it.`,
    });
  });

  it("shares its file with another store that is open at the same time", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("tacklebox.db");
    const one = await openSqliteStore({ ...options, file });
    const other = await openSqliteStore({ ...options, ...testMembership("other"), file });
    await Promise.all([one.calls.save(sampleCall({ id: "a" })), other.calls.save(sampleCall({ id: "b" }))]);
    expect((await one.calls.list({ limit: 10 })).map((call) => call.id).sort()).toEqual(["a", "b"]);
    await one.close();
    await other.calls.save(sampleCall({ id: "c" }));
    expect((await other.calls.load("c"))?.id).toBe("c");
    await other.close();
  });
});
