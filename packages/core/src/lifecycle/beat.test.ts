import { describe, expect, it } from "vitest";
import type { CallRecord, ToolResult } from "../domain/call.ts";
import { BEAT_EVERY_MS, type ProcessTable, STALE_AFTER_MS } from "../ports/members.ts";
import type { Store } from "../ports/store.ts";
import { StoreError } from "../ports/store-error.ts";
import {
  createManualClock,
  createMemoryContents,
  createMemoryStore,
  createTestEngine,
  testDefinition,
  testMember,
  waitUntil,
} from "../testing/index.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function openCall(owner: string): CallRecord {
  return {
    ...{ id: "open", scope: "agent", server: "s", toolName: "echo", shownName: "echo", arguments: {} },
    ...{ status: "running", startedAt: "2026-01-01T00:00:00.000Z", owner },
  };
}

/** Starts an engine whose store is shared with a process on another host with the same time. */
async function running(change: (store: Store) => Store = (store) => store) {
  const time = createManualClock();
  const timers = createManualClock();
  const contents = createMemoryContents();
  const processes: ProcessTable = { look: () => "elsewhere", isOwnerAlive: () => true };
  const join = (id: string) =>
    createMemoryStore({ member: testMember(id), processes, now: () => time.now() }, contents);
  let beats = 0;
  const own = change(join("test"));
  const store: Store = {
    ...own,
    members: {
      id: own.members.id,
      async beat() {
        beats += 1;
        await own.members.beat();
      },
    },
  };
  const clock = { ...timers, now: () => time.now() };
  const test = createTestEngine({
    servers: [testDefinition("s", { defaultToolConfig: { timeoutMs: 10 * STALE_AFTER_MS } })],
    ports: { store, clock },
  });
  test.connector.server("s").tools = [{ name: "echo" }];
  await test.host.start();
  /** Advances step by step, because each beat is scheduled only after the last was written. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= BEAT_EVERY_MS) {
      const before = beats;
      time.advance(BEAT_EVERY_MS);
      timers.advance(BEAT_EVERY_MS);
      if (beats > before) await waitUntil(() => timers.pendingInBackground() > 0);
      await turn();
    }
  };
  /** Lets time pass while this engine is suspended. */
  const suspend = (ms: number) => time.advance(ms);
  return { ...test, clock: timers, store, join, pass, suspend, beats: () => beats };
}

describe("an engine that shares its store with other processes", () => {
  it("beats regularly, so that no other process ends its calls", async () => {
    const { host, store, join, pass } = await running();
    await store.calls.save(openCall("test"));
    await pass(2 * STALE_AFTER_MS);
    expect(await join("other").calls.recover()).toBe(0);
    expect((await store.calls.load("open"))?.status).toBe("running");
    await host.stop();
  });

  it("stops beating with the engine and leaves no timer, however often it was stopped", async () => {
    const { host, clock, beats } = await running();
    expect([clock.pending(), clock.pendingInBackground()]).toEqual([0, 1]);
    await host.stop();
    await host.stop();
    clock.advance(10 * BEAT_EVERY_MS);
    expect([clock.pending(), clock.pendingInBackground(), beats()]).toEqual([0, 0, 0]);
  });

  it("goes on beating until its last call has ended", async () => {
    const { host, engine, connector, clock, join, pass, beats } = await running();
    let answer: (result: ToolResult) => void = () => undefined;
    connector.server("s").answer = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const call = engine.calls.make({ tool: "echo", arguments: {} });
    await waitUntil(() => connector.calls.length === 1);
    const stopping = host.stop(10 * STALE_AFTER_MS);
    await pass(2 * STALE_AFTER_MS);
    expect(await join("other").calls.recover()).toBe(0);
    answer({ content: [{ type: "text", text: "late" }], isError: false });
    expect(await call).toMatchObject({ status: "success" });
    await stopping;
    expect(beats()).toBeGreaterThan(0);
    clock.advance(BEAT_EVERY_MS);
    expect(clock.pendingInBackground()).toBe(0);
  });

  it("does not beat again if it is stopped while it starts", async () => {
    const { host, connector, clock } = createTestEngine({ servers: [testDefinition("s")] });
    connector.server("s").tools = [{ name: "echo" }];
    const starting = host.start();
    await host.stop();
    await starting;
    expect(clock.pendingInBackground()).toBe(0);
  });

  it("also beats if its servers are connected one by one", async () => {
    const { host, engine, connector, clock } = createTestEngine();
    connector.server("s").tools = [{ name: "echo" }];
    await engine.servers.add(testDefinition("s"));
    expect(clock.pendingInBackground()).toBe(0);
    await engine.servers.connect("s");
    expect(clock.pendingInBackground()).toBe(1);
    await host.stop();
    expect(clock.pendingInBackground()).toBe(0);
  });

  it("ends the calls of another process that dies while it runs", async () => {
    const { host, join, pass, store, logger } = await running();
    await join("other").calls.save(openCall("other"));
    await pass(STALE_AFTER_MS + BEAT_EVERY_MS);
    await waitUntil(async () => (await store.calls.load("open"))?.ending === "interrupted");
    expect(logger.texts("warn")).toEqual(["Calls left open by a process that died, now marked as interrupted: 1"]);
    await host.stop();
  });

  it("does not judge others that were suspended with it before they could beat again", async () => {
    const { host, join, pass, suspend, store } = await running();
    const other = join("other");
    await other.calls.save(openCall("other"));
    suspend(10 * STALE_AFTER_MS);
    await pass(BEAT_EVERY_MS);
    await other.members.beat();
    await pass(BEAT_EVERY_MS);
    expect((await store.calls.load("open"))?.status).toBe("running");
    await pass(STALE_AFTER_MS);
    await waitUntil(async () => (await store.calls.load("open"))?.ending === "interrupted");
    await host.stop();
  });

  it("warns once when beats fail, goes on, and warns again if they fail again later", async () => {
    let failure: Error | undefined = new StoreError("write-failed", "The disk is full.");
    const { host, logger, pass } = await running((store) => ({
      ...store,
      members: {
        id: store.members.id,
        async beat() {
          if (failure !== undefined) throw failure;
        },
      },
    }));
    await pass(3 * BEAT_EVERY_MS);
    const warning = "Other processes could not be told that this one is running; trying again. The disk is full.";
    expect(logger.texts("warn")).toEqual([warning]);
    failure = undefined;
    await pass(BEAT_EVERY_MS);
    failure = new StoreError("write-failed", "The disk is full.");
    await pass(2 * BEAT_EVERY_MS);
    expect(logger.texts("warn")).toEqual([warning, warning]);
    await host.stop();
  });

  it("does not take a recovery that failed for a beat that failed", async () => {
    let failure: Error | undefined;
    const { host, logger, pass } = await running((store) => ({
      ...store,
      calls: {
        ...store.calls,
        async recover() {
          if (failure !== undefined) throw failure;
          return 0;
        },
      },
    }));
    failure = new StoreError("write-failed", "The disk is full.");
    await pass(3 * BEAT_EVERY_MS);
    const warning = "Calls left open by processes that died could not be closed; trying again. The disk is full.";
    expect(logger.texts("warn")).toEqual([warning]);
    await host.stop();
  });

  it("does not report a beat that fails because the engine has stopped", async () => {
    let fail: () => void = () => undefined;
    const { host, logger, clock } = await running((store) => ({
      ...store,
      members: {
        id: store.members.id,
        beat: () =>
          new Promise((_resolve, reject) => {
            fail = () => reject(new StoreError("closed", "The store is closed."));
          }),
      },
    }));
    clock.advance(BEAT_EVERY_MS);
    await host.stop();
    fail();
    await turn();
    expect([logger.texts("warn"), clock.pendingInBackground()]).toEqual([[], 0]);
  });

  it("reports once that it was declared dead, and makes no call from then on", async () => {
    const { host, engine, connector, logger, clock, join, suspend } = await running();
    expect((await engine.calls.make({ tool: "echo", arguments: {} })).status).toBe("success");
    suspend(STALE_AFTER_MS + 1);
    await join("other").calls.recover();
    const declaredDead = expect.stringMatching(/^Another process took this one for dead.*restart this process\.$/);
    clock.advance(BEAT_EVERY_MS);
    await waitUntil(() => logger.texts("error").length > 0);
    expect([logger.texts("error"), clock.pendingInBackground()]).toEqual([[declaredDead], 0]);
    expect(await engine.calls.make({ tool: "echo", arguments: {} })).toMatchObject({
      failure: { ending: "log-unavailable", message: expect.stringContaining("took this one for dead") },
    });
    expect(connector.calls).toHaveLength(1);
    expect((await engine.calls.list({ limit: 9 })).items.map(({ status }) => status)).toEqual(["success"]);
    await host.stop();
  });
});
