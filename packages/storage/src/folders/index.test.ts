import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFolder, createFolderNow } from "./index.ts";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "tacklebox-folders-"));
});
afterEach(() => rmSync(base, { recursive: true }));

describe.each([
  ["createFolder", createFolder],
  ["createFolderNow", async (folder: string) => createFolderNow(folder)],
])("%s", (_name, create) => {
  it("creates a folder and those above it for their owner alone, and leaves one that is there", async () => {
    const folder = join(base, "one", "two");
    for (const _ of [1, 2]) await create(folder);
    expect(existsSync(folder)).toBe(true);
    if (process.platform === "win32") return;
    for (const made of [folder, join(base, "one")]) expect(statSync(made).mode & 0o777).toBe(0o700);
  });

  it.runIf(process.platform === "linux")("ends with an error where no folder can be", async () => {
    await expect(create("/proc/nowhere/folder")).rejects.toThrow("ENOENT");
  });
});
