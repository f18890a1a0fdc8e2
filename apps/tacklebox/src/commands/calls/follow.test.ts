import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallRecord, Store } from "@tacklebox/core";
import { waitUntil } from "@tacklebox/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../open-store.ts";
import { runProgram } from "../../program.ts";
import { createMemoryIo, type MemoryIo } from "../../testing/memory-io.ts";

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-follow-"));
  const opened = await openStore(folder);
  if (opened.kind === "refused") throw new Error(opened.message);
  ({ store } = opened);
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
    times: { personMs: 0, slotMs: 0, runMs: 0 },
    owner: store.members.id,
    ...more,
  };
}

function follow(...argv: string[]): { io: MemoryIo; ended: Promise<number>; lines: () => string[] } {
  const io = createMemoryIo({ cwd: folder, env: { TACKLEBOX_DATA: folder } });
  const ended = runProgram(["calls", "--follow", ...argv], io);
  return { io, ended, lines: () => io.stdout.text().split("\n").slice(0, -1) };
}

describe("tacklebox calls --follow", () => {
  it("shows the newest calls, oldest first, then new ones and changes of status, until Ctrl-C", async () => {
    for (const number of [1, 2, 3]) await store.calls.save(record(number));
    const { io, ended, lines } = follow("--limit", "2");
    await waitUntil(() => lines().length === 2);
    const {
      completedAt: _,
      times,
      ...open
    } = record(4, {
      toolName: "write \u001b[31m",
      status: "running",
      caller: { door: "cli" },
    });
    await store.calls.save(open);
    await waitUntil(() => lines().length === 3);
    await store.calls.save({
      ...open,
      status: "error",
      ending: "timed-out",
      error: "too\nslow",
      completedAt: open.startedAt,
      ...(times !== undefined && { times }),
    });
    await waitUntil(() => lines().length === 4);
    io.raise("SIGINT");
    expect(await ended).toBe(130);
    expect(lines()).toEqual([
      "01002  2026-01-01T00:00:02.000Z  files  read  success  0.000 s  -  -",
      "01003  2026-01-01T00:00:03.000Z  files  read  success  0.000 s  -  -",
      "01004  2026-01-01T00:00:04.000Z  files  write \\x1b[31m  running  -        -  cli",
      "01004  2026-01-01T00:00:04.000Z  files  write \\x1b[31m  timed-out  0.000 s  -  cli  too",
    ]);
  });

  it("misses none when many are made at once", async () => {
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

  it("shows only calls that match the filters, and ends when its reader is gone", async () => {
    const { io, ended, lines } = follow("--server", "files");
    await store.calls.save(record(1, { server: "other" }));
    await store.calls.save(record(2));
    await waitUntil(() => lines().length === 1);
    io.stdout.breakOff();
    expect(await ended).toBe(0);
    expect(lines()).toEqual(["01002  2026-01-01T00:00:02.000Z  files  read  success  0.000 s  -  -"]);
  });
});

describe("tacklebox calls", () => {
  async function calls(...argv: string[]) {
    const io = createMemoryIo({ cwd: folder, env: { TACKLEBOX_DATA: folder } });
    const code = await runProgram(["calls", ...argv], io);
    return { code, stdout: io.stdout.text(), stderr: io.stderr.text() };
  }

  it("shows an answer that came after the call was given up", async () => {
    const failed = record(1, { status: "error", ending: "timed-out", error: "Too slow; it may have run" });
    await store.calls.save(failed);
    await store.calls.noteLateAnswer(failed.id, new Date(Date.parse(failed.startedAt) + 1_500).toISOString());
    expect((await calls()).stdout).toContain("Too slow; it may have run. It answered 1.500 s later\n");
  });

  it("F19 shows how long a call took as it was measured, whatever the clock was set to meanwhile", async () => {
    const GONE = { status: "error", ending: "interrupted", error: "Gone" } as const;
    const earlier = "2025-12-31T00:00:00.000Z";
    await store.calls.save(record(1, { completedAt: earlier, times: { personMs: 1_000, slotMs: 200, runMs: 34 } }));
    const { times: _, ...unmeasured } = record(2, { completedAt: earlier, ...GONE });
    await store.calls.save(unmeasured);
    await store.calls.noteLateAnswer(unmeasured.id, "2025-12-30T00:00:00.000Z");
    expect(
      (await calls()).stdout,
    ).toBe(`ID     STARTED                   SERVER  TOOL  STATUS       RAN      WAITED   FROM  ERROR
01002  2026-01-01T00:00:02.000Z  files   read  interrupted  -        -        -     Gone. It answered later
01001  2026-01-01T00:00:01.000Z  files   read  success      0.034 s  1.200 s  -
`);
  });

  it("T18 shows who called, with nothing in it that a terminal interprets", async () => {
    await store.calls.save(record(1));
    await store.calls.save(record(2, { caller: { door: "cli" } }));
    await store.calls.save(record(3, { caller: { door: "acp", client: "Zed\u001b[2J", sessionId: "s1" } }));
    expect(await calls()).toEqual({
      code: 0,
      stdout: `ID     STARTED                   SERVER  TOOL  STATUS   RAN      WAITED  FROM              ERROR
01003  2026-01-01T00:00:03.000Z  files   read  success  0.000 s  -       acp (Zed\\x1b[2J)
01002  2026-01-01T00:00:02.000Z  files   read  success  0.000 s  -       cli
01001  2026-01-01T00:00:01.000Z  files   read  success  0.000 s  -       -
`,
      stderr: "",
    });
  });

  it("reports as JSON who called, where the time went and whether the call was sent", async () => {
    const caller = { door: "acp", client: "Zed", sessionId: "s1", principal: "ada" } as const;
    const times = { personMs: 1, slotMs: 2, runMs: 3 };
    const given = { status: "error", ending: "cancelled", error: "no" } as const;
    await store.calls.save(record(1, { ...given, caller, times, sent: true }));
    await store.calls.save(record(2));
    const [plain, told] = JSON.parse((await calls("--json")).stdout).calls;
    expect(told).toEqual({
      ...{ id: "01001", server: "files", tool: "read", shown_name: "read", arguments: {} },
      ...{ status: "error", ending: "cancelled", error: "no" },
      ...{ started_at: "2026-01-01T00:00:01.000Z", completed_at: "2026-01-01T00:00:01.000Z" },
      caller: { door: "acp", client: "Zed", session_id: "s1", principal: "ada" },
      ...{ waited_for_person_ms: 1, waited_for_slot_ms: 2, ran_ms: 3, sent: true },
    });
    expect(Object.keys(plain)).not.toContain("caller");
  });

  it("F10 says when only a part of a result was kept, and of how much", async () => {
    const whole = { bytes: 15_938_355, sha256: "5e".repeat(32) };
    const result = { content: [{ type: "text", text: "part" }], isError: false, meta: { "tacklebox/whole": whole } };
    await store.calls.save(record(1, { result }));
    expect((await calls()).stdout).toContain("A part of its 15.2 MB result was kept\n");
    expect(JSON.parse((await calls("--json")).stdout).calls[0]).toMatchObject({ result, whole_result: whole });
  });

  it("closes the calls that a dead process left open, and prints nothing else", async () => {
    const { completedAt: _, times: __, ...open } = record(1, { status: "running", owner: "1:never:x" });
    await store.calls.save(open);
    const { stdout, stderr } = await calls("--json");
    expect([JSON.parse(stdout).calls[0].ending, stderr]).toEqual(["interrupted", ""]);
  });

  it("works with a broken config", async () => {
    writeFileSync(join(folder, "tacklebox.yaml"), "servers: [");
    await store.calls.save(record(1));
    expect(await calls("--limit", "1")).toMatchObject({ code: 0, stderr: "" });
  });
});
