import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPipe } from "./read-pipe.ts";

let folder: string;
let pipe: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-pipe-"));
  pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.runIf(process.platform !== "win32")("a pipe as a config file", () => {
  it("is read to its end, also when somebody writes to it later", async () => {
    const reading = readPipe(pipe, 100);
    await writeFile(pipe, "servers: {}\n");
    expect(Buffer.from((await reading) ?? []).toString()).toBe("servers: {}\n");
  });

  it("is given up when nothing is written to it in time", async () => {
    expect(await readPipe(pipe, 100, { silenceMs: 50, wholeMs: 60_000 })).toBeUndefined();
  });

  it("F20 is given up when it falls silent without an end", async () => {
    const reading = readPipe(pipe, 100, { silenceMs: 50, wholeMs: 60_000 });
    const writer = await open(pipe, "w");
    await writer.write("s");
    expect(await reading).toBeUndefined();
    await writer.close();
  });

  it("F20 is given up when it goes on without an end", async () => {
    const reading = readPipe(pipe, 1_000_000, { silenceMs: 60_000, wholeMs: 50 });
    const writer = await open(pipe, "w");
    let isOver = false;
    void reading.then(() => {
      isOver = true;
    });
    // Fails once the reader has gone.
    while (!isOver) await writer.write("s").catch(() => undefined);
    expect(await reading).toBeUndefined();
    await writer.close();
  });

  it("is not read beyond the limit", async () => {
    const reading = readPipe(pipe, 10);
    // Fails once the reader has gone.
    await writeFile(pipe, "x".repeat(1_000_000)).catch(() => undefined);
    expect((await reading)?.length).toBeGreaterThan(10);
  });
});
