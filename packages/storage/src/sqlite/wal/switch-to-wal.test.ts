import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it, vi } from "vitest";
import { createTemporaryFolder } from "../../testing/temporary-folder.ts";
import { switchToWal } from "./switch-to-wal.ts";

describe("switching a file to write-ahead logging", () => {
  it("retries while another process uses the file", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("tacklebox.db");
    const reader = new DatabaseSync(file);
    reader.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
    const database = new DatabaseSync(file);
    const exec = vi.spyOn(database, "exec");
    const switching = switchToWal(database, 60_000);
    expect(exec.mock.results.map((result) => result.type)).toEqual(["throw"]);
    reader.exec("COMMIT");
    await switching;
    expect(exec.mock.results.at(-1)?.type).toBe("return");
    expect(database.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "wal" });
    database.close();
    reader.close();
  });

  it("gives up after the busy timeout", async () => {
    await using folder = await createTemporaryFolder();
    const reader = new DatabaseSync(folder.at("tacklebox.db"));
    reader.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
    const database = new DatabaseSync(folder.at("tacklebox.db"));
    await expect(switchToWal(database, 20)).rejects.toMatchObject({ sqliteCodeName: "SQLITE_BUSY" });
    database.close();
    reader.close();
  });
});
