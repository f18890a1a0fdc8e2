import { describe, expect, it } from "vitest";
import type { CallLogSettings } from "../domain/limits.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { createMemoryStore } from "../testing/memory/memory-store.ts";
import { createRecordingLogger } from "../testing/recording-logger.ts";
import { testSettings } from "../testing/test-definition.ts";
import { createTestEngine } from "../testing/test-engine.ts";
import { waitUntil } from "../testing/wait-until.ts";
import { createCallPruner } from "./prune-calls.ts";

const HOUR = 60 * 60 * 1_000;
const call = (id: string, startedAt: number) =>
  ({
    id,
    scope: "agent",
    server: "s",
    toolName: "t",
    shownName: "t",
    arguments: {},
    status: "success",
    startedAt: new Date(startedAt).toISOString(),
    owner: "test",
  }) as const;

function setUp(settings: CallLogSettings | undefined) {
  const clock = createManualClock();
  const { calls } = createMemoryStore();
  const logger = createRecordingLogger();
  const ids = async () => (await calls.list({ limit: 100 })).map(({ id }) => id);
  return { clock, calls, logger, ids, pruner: createCallPruner(() => settings, { calls, clock, logger }) };
}

describe("pruning the call log", () => {
  it("removes old calls at once, and again every hour", async () => {
    const { clock, calls, ids, pruner } = setUp({ keepMs: 2 * HOUR, keepAtMost: 100, durability: "full" });
    const now = clock.now();
    await calls.save(call("three hours old", now - 3 * HOUR));
    await calls.save(call("one and a half", now - 1.5 * HOUR));
    await calls.save(call("new", now));
    pruner.start();
    await waitUntil(async () => (await ids()).length === 2);
    expect(await ids()).toEqual(["new", "one and a half"]);
    clock.advance(HOUR);
    await waitUntil(async () => (await ids()).length === 1);
    expect(await ids()).toEqual(["new"]);
    pruner.stop();
    expect(clock.pending()).toBe(0);
  });

  it("warns if it fails, and tries again an hour later", async () => {
    const { clock, calls, logger } = setUp(undefined);
    let attempts = 0;
    const prune = () => {
      attempts += 1;
      return Promise.reject(new Error("the disk is full"));
    };
    const pruner = createCallPruner(() => ({ keepMs: 1, keepAtMost: 1, durability: "full" }), {
      calls: { ...calls, prune },
      clock,
      logger,
    });
    pruner.start();
    await waitUntil(() => logger.lines.length === 1);
    expect(logger.lines[0]).toMatchObject({
      level: "warn",
      text: "Old calls could not be removed from the call log; trying again in an hour. the disk is full",
    });
    clock.advance(HOUR);
    expect(attempts).toBe(2);
    pruner.stop();
  });

  it("is part of an engine's start, and ends with the engine", async () => {
    const { host, engine, store, clock } = createTestEngine();
    await store.calls.save(call("old", clock.now() - 3 * HOUR));
    await host.reload({
      toolbox: testSettings(),
      servers: [],
      calls: { keepMs: HOUR, keepAtMost: 100, durability: "full" },
    });
    await host.start();
    await waitUntil(async () => (await engine.calls.list({ limit: 10 })).items.length === 0);
    await host.stop();
    expect(clock.pending()).toBe(0);
  });
});
