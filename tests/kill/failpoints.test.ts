import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CallRecord } from "@tacklebox/core";
import { allDead, testMember } from "@tacklebox/core/testing";
import { openSqliteStore } from "@tacklebox/storage/sqlite";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processesWithMarker, until } from "../support/processes.ts";
import { type Exit, startProcess } from "../support/running-process.ts";
import { fixturePath } from "../support/servers.ts";
import { temporaryFolder } from "../support/workspace.ts";
import type { Failpoint } from "./failpoints.ts";
import { ledgerMarkers } from "./ledger-lines.ts";

const HOST = fileURLToPath(new URL("failpoint-host.ts", import.meta.url));
const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const KILLED = { code: null, signal: "SIGKILL", stdout: "" };
const MAY_HAVE_RUN = "The process that made this call ended before the answer came; it may have run.";

let program: string;

beforeAll(async () => {
  await mkdir(DIST, { recursive: true });
  // Inside the workspace, so that the built program finds the native library.
  program = join(await mkdtemp(join(DIST, "failpoints-")), "host.mjs");
  const bundle = await rolldown({ input: HOST, platform: "node", external: [/^@photostructure\//, /^node:/] });
  await bundle.write({ file: program, codeSplitting: false });
  await bundle.close();
});

afterAll(() => rm(join(program, ".."), { recursive: true, force: true }));

async function setUp() {
  const folder = await temporaryFolder();
  const file = join(folder, "tacklebox.db");
  const ledger = join(folder, "ledger.txt");

  async function run(point: Failpoint, marker: string, tool = "fast"): Promise<Partial<Exit>> {
    const args = [program, point, file, ledger, fixturePath("ledger"), tool, marker];
    const host = await startProcess(process.execPath, args, { cwd: folder, env: { PATH: process.env.PATH ?? "" } });
    const { code, signal, stdout } = await host.exit;
    // A server that outlived the host could still write to the ledger.
    await until(() => processesWithMarker(ledger).length === 0, { describe: "the server to end" });
    return { code, signal, stdout };
  }

  /** Returns the record of the call before and after recovery at the next start. */
  async function reopen(marker: string) {
    const store = await openSqliteStore({ file, member: testMember("next"), processes: allDead, now: () => 0 });
    const before = await store.calls.load(marker);
    const recovered = await store.calls.recover();
    const after = await store.calls.load(marker);
    await store.close();
    return { before: before?.status, recovered, after: toEnd(after) };
  }

  return { run, reopen, executed: () => ledgerMarkers(ledger) };
}

function toEnd(record: CallRecord | undefined) {
  if (record === undefined) return undefined;
  const { status, ending, error, result } = record;
  return { status, ...(ending && { ending }), ...(error && { error }), ...(result && { content: result.content }) };
}

const INTERRUPTED = { status: "error", ending: "interrupted", error: MAY_HAVE_RUN };

describe("a process that dies at a named point of a call", () => {
  it("that is never reached makes the call", async () => {
    const { run, reopen, executed } = await setUp();
    expect(await run("nowhere", "a")).toEqual({ code: 0, signal: null, stdout: '"success"\n' });
    expect(await reopen("a")).toMatchObject({ before: "success", recovered: 0 });
    expect(await executed()).toEqual(["a"]);
  });

  it("before the running row is committed: no record, nothing executed", async () => {
    const { run, reopen, executed } = await setUp();
    expect(await run("before the running row is committed", "a")).toEqual(KILLED);
    expect(await reopen("a")).toEqual({ before: undefined, recovered: 0, after: undefined });
    expect(await executed()).toEqual([]);
  });

  it("after it, before the first byte: a record, nothing executed, interrupted", async () => {
    const { run, reopen, executed } = await setUp();
    expect(await run("after the running row is committed", "a")).toEqual(KILLED);
    expect(await reopen("a")).toEqual({ before: "running", recovered: 1, after: INTERRUPTED });
    expect(await executed()).toEqual([]);
  });

  it("just after the write: executed at most once, interrupted", async () => {
    const { run, reopen, executed } = await setUp();
    expect(await run("after the call is written", "a")).toEqual(KILLED);
    expect(await reopen("a")).toEqual({ before: "running", recovered: 1, after: INTERRUPTED });
    expect((await executed()).length).toBeLessThanOrEqual(1);
  });

  it("while the server works: executed once, interrupted, never failed", async () => {
    const { run, reopen, executed } = await setUp();
    expect(await run("while the server works", "a", "slow")).toEqual(KILLED);
    expect(await reopen("a")).toEqual({ before: "running", recovered: 1, after: INTERRUPTED });
    expect(await executed()).toEqual(["a"]);
  });

  it.each(["fast", "fail"])("after the answer, before its commit: executed once, interrupted (%s)", async (tool) => {
    const { run, reopen, executed } = await setUp();
    expect(await run("before the end is committed", "a", tool)).toEqual(KILLED);
    expect(await reopen("a")).toEqual({ before: "running", recovered: 1, after: INTERRUPTED });
    expect(await executed()).toEqual(["a"]);
  });

  it("after the commit, before the caller is answered: executed once, with its result", async () => {
    const { run, reopen, executed } = await setUp();
    expect(await run("after the end is committed", "a")).toEqual(KILLED);
    const content = [{ type: "text", text: "noted a" }];
    expect(await reopen("a")).toEqual({ before: "success", recovered: 0, after: { status: "success", content } });
    expect(await executed()).toEqual(["a"]);
  });

  it("in the middle of recovery: the next start recovers, and nothing runs again", async () => {
    const { run, reopen, executed } = await setUp();
    await run("while the server works", "a", "slow");
    expect(await run("in recovery", "b")).toEqual(KILLED);
    expect(await run("nowhere", "c")).toMatchObject({ code: 0 });
    expect(await reopen("a")).toEqual({ before: "error", recovered: 0, after: INTERRUPTED });
    expect(await executed()).toEqual(["a", "c"]);
  });
});
