import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type ConfigWatch, type WatchFile, watchConfig } from "./watch-config.ts";

const open: ConfigWatch[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((watch) => watch.close()));
});

describe("watching a config file", () => {
  it("runs one reload at a time, and another if the file changed meanwhile", async () => {
    let change = () => {};
    const watchFile: WatchFile = async (_file, onChange) => {
      change = onChange;
      return { close: async () => {} };
    };
    const releases: (() => void)[] = [];
    const reload = vi.fn(() => new Promise<void>((resolve) => releases.push(resolve)));
    const watch = await watchConfig(["tacklebox.yaml"], reload, watchFile);
    change();
    change();
    change();
    expect(reload).toHaveBeenCalledTimes(1);
    releases.shift()?.();
    await expect.poll(() => reload.mock.calls.length).toBe(2);
    const closed = watch.close();
    releases.shift()?.();
    await closed;
    expect(reload).toHaveBeenCalledTimes(2);
  });

  it("notices a file that is written and one that is replaced, as editors do", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tacklebox-watch-"));
    const file = join(folder, "tacklebox.yaml");
    await writeFile(file, "servers: {}\n");
    const reload = vi.fn(async () => {});
    open.push(await watchConfig([file], reload));
    await writeFile(file, "servers: {} # written\n");
    await expect.poll(() => reload.mock.calls.length).toBeGreaterThan(0);
    const before = reload.mock.calls.length;
    await writeFile(`${file}.new`, "servers: {} # replaced\n");
    await rename(`${file}.new`, file);
    await expect.poll(() => reload.mock.calls.length).toBeGreaterThan(before);
    await rm(folder, { recursive: true });
  });
});
