import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallRecord, Store } from "@tacklebox/core";
import { waitUntil } from "@tacklebox/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../open-engine.ts";
import { runProgram } from "../program.ts";
import { createMemoryIo, type MemoryIo } from "../testing/memory-io.ts";

let folder: string;
let store: Store;
let owner: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-follow-"));
  const opened = await openStore(folder);
  if (opened.kind === "refused") throw new Error(opened.message);
  ({ store, owner } = opened);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function record(number: number, more: Partial<CallRecord> = {}): CallRecord {
  const at = new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString();
  return {
    id: `0${1000 + number}`,
    scope: "agent",
    server: "files",
    toolName: "read",
    shownName: "read",
    arguments: {},
    status: "success",
    startedAt: at,
    completedAt: at,
    owner,
    ...more,
  };
}

function follow(...argv: string[]): { io: MemoryIo; ended: Promise<number>; lines: () => string[] } {
  const io = createMemoryIo({ cwd: folder, env: { TACKLEBOX_DATA: folder } });
  const ended = runProgram(["calls", "--follow", ...argv], io);
  return { io, ended, lines: () => io.stdout.text().split("\n").slice(0, -1) };
}

describe("tacklebox calls --follow", () => {
  it("shows the newest calls, oldest first, then further ones and what becomes of them, until Ctrl-C", async () => {
    for (const number of [1, 2, 3]) await store.calls.save(record(number));
    const { io, ended, lines } = follow("--limit", "2");
    await waitUntil(() => lines().length === 2);
    const { completedAt: _, ...open } = record(4, { toolName: "write \u001b[31m", status: "running" });
    await store.calls.save(open);
    await waitUntil(() => lines().length === 3);
    await store.calls.save({
      ...open,
      status: "error",
      ending: "timed-out",
      error: "too\nslow",
      completedAt: open.startedAt,
    });
    await waitUntil(() => lines().length === 4);
    io.raise("SIGINT");
    expect(await ended).toBe(130);
    expect(lines()).toEqual([
      "2026-01-01T00:00:02.000Z  files  read  success  0.000 s",
      "2026-01-01T00:00:03.000Z  files  read  success  0.000 s",
      "2026-01-01T00:00:04.000Z  files  write \\x1b[31m  running  -",
      "2026-01-01T00:00:04.000Z  files  write \\x1b[31m  timed-out  0.000 s  too",
    ]);
  });

  it("misses none when many come at once", async () => {
    await store.calls.save(record(0));
    const { io, ended, lines } = follow("--json");
    await waitUntil(() => lines().length === 1);
    await Promise.all(Array.from({ length: 300 }, (_, index) => store.calls.save(record(index + 1))));
    await waitUntil(() => lines().length === 301);
    io.raise("SIGTERM");
    expect(await ended).toBe(130);
    const ids = lines().map((line) => JSON.parse(line).id);
    expect(ids).toEqual(Array.from({ length: 301 }, (_, index) => `0${1000 + index}`));
  });

  it("shows only what fits the filters, and ends when nobody reads any more", async () => {
    const { io, ended, lines } = follow("--server", "files");
    await store.calls.save(record(1, { server: "other" }));
    await store.calls.save(record(2));
    await waitUntil(() => lines().length === 1);
    io.stdout.breakOff();
    expect(await ended).toBe(0);
    expect(lines()).toEqual(["2026-01-01T00:00:02.000Z  files  read  success  0.000 s"]);
  });
});

it("tacklebox calls tells of an answer that came after the call was given up", async () => {
  const failed = record(1, { status: "error", ending: "timed-out", error: "Too slow; it may have run" });
  await store.calls.save(failed);
  await store.calls.noteLateAnswer(failed.id, new Date(Date.parse(failed.startedAt) + 1_500).toISOString());
  const io = createMemoryIo({ cwd: folder, env: { TACKLEBOX_DATA: folder } });
  expect(await runProgram(["calls"], io)).toBe(0);
  expect(io.stdout.text()).toContain("Too slow; it may have run. It answered 1.500 s later\n");
});
