import { describe, expect, it } from "vitest";
import { type CallLogSettings, DEFAULT_CALL_LOG } from "../domain/limits.ts";
import type { CallLog } from "../ports/store.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { createMemoryStore } from "../testing/memory/memory-store.ts";
import { createRecordingLogger } from "../testing/recording-logger.ts";
import { testSettings } from "../testing/test-definition.ts";
import { createTestEngine } from "../testing/test-engine.ts";
import { waitUntil } from "../testing/wait-until.ts";
import { countAge } from "./count-age.ts";
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

const SETTINGS: CallLogSettings = { ...DEFAULT_CALL_LOG, keepMs: 4 * HOUR };

/** Calls within the last hour, so that a few old ones are less than the share that may go at once. */
async function saveRecent(calls: CallLog, now: number): Promise<void> {
  for (let index = 0; index < 20; index += 1) await calls.save(call(`recent ${index}`, now - HOUR - 2));
}

describe("pruning the call log", () => {
  it("removes old calls at once, and again every hour", async () => {
    const { clock, calls, ids, pruner } = setUp(SETTINGS);
    const now = clock.now();
    await calls.save(call("six hours old", now - 6 * HOUR));
    await calls.save(call("four and a half", now - 4.5 * HOUR));
    await calls.save(call("three and a half", now - 3.5 * HOUR));
    await saveRecent(calls, now);
    await calls.save(call("new", now - 1));
    pruner.start();
    await waitUntil(async () => (await ids()).length === 22);
    expect((await ids()).at(-1)).toBe("three and a half");
    await calls.save(call("an hour later", now + HOUR));
    const minute = async () => {
      clock.advance(60_000);
      return !(await ids()).includes("three and a half");
    };
    await waitUntil(minute);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(HOUR);
    pruner.stop();
    expect(clock.pendingInBackground()).toBe(0);
  });

  it("removes what is too much every minute, and does not keep the process alive for it", async () => {
    const { clock, calls, ids, pruner } = setUp({ ...SETTINGS, keepAtMost: 2 });
    pruner.start();
    for (const id of ["a", "b", "c"]) await calls.save(call(id, clock.now()));
    expect(clock.pending()).toBe(0);
    clock.advance(60_000);
    await waitUntil(async () => (await ids()).length === 2);
    pruner.stop();
  });

  it("warns once if it fails, and tries again a minute later", async () => {
    const { clock, calls, logger } = setUp(undefined);
    let attempts = 0;
    const prune = () => {
      attempts += 1;
      return Promise.reject(new Error("the disk is full"));
    };
    const pruner = createCallPruner(() => SETTINGS, { calls: { ...calls, prune }, clock, logger });
    pruner.start();
    await waitUntil(() => logger.lines.length === 1);
    expect(logger.lines[0]).toMatchObject({
      level: "warn",
      text: "Old calls could not be removed from the call log; trying again in a minute. the disk is full",
    });
    clock.advance(60_000);
    await waitUntil(() => attempts === 2);
    expect(logger.lines).toHaveLength(1);
    pruner.stop();
  });

  it("is part of an engine's start, and ends with the engine", async () => {
    const { host, engine, store, clock } = createTestEngine();
    await store.calls.save(call("old", clock.now()));
    await store.calls.save(call("new", clock.now()));
    const calls = { ...SETTINGS, keepAtMost: 1 };
    await host.reload({ toolbox: testSettings(), servers: [], calls });
    await host.start();
    await waitUntil(async () => (await engine.calls.list({ limit: 10 })).items.length === 1);
    await host.stop();
    expect([clock.pending(), clock.pendingInBackground()]).toEqual([0, 0]);
  });

  it("starts with a reload that adds it, and applies bounds that a reload changes", async () => {
    const { host, engine, store, clock } = createTestEngine();
    const left = async () => (await engine.calls.list({ limit: 10 })).items.length;
    const reload = (keepAtMost: number) =>
      host.reload({ toolbox: testSettings(), servers: [], calls: { ...SETTINGS, keepAtMost } });
    await host.start();
    for (const id of ["a", "b", "c", "d"]) await store.calls.save(call(id, clock.now()));
    expect(await reload(3)).toMatchObject({ changes: ["Configuration: calls changed"] });
    await waitUntil(async () => (await left()) === 3);
    await reload(2);
    await waitUntil(async () => (await left()) === 2);
    await host.stop();
  });
});

describe("the age of calls", () => {
  const DAY = 24 * HOUR;
  const KEEP = 90 * DAY;
  const NOW = Date.parse("2026-08-01T00:00:00.000Z");
  const iso = (ms: number) => new Date(ms).toISOString();

  /** Counts with calls of these times in the log, in days from now. */
  async function countFrom(days: readonly number[], now = NOW) {
    const { calls } = setUp(undefined);
    for (const [index, day] of days.entries()) await calls.save(call(`${index}`, NOW + day * DAY));
    const { young, warning } = await countAge(calls, now, KEEP);
    const from = young === undefined ? undefined : (Date.parse(young.from) + KEEP - NOW) / DAY;
    return { from, warning };
  }

  it("is not counted in an empty log", async () => {
    expect(await countFrom([])).toEqual({ from: undefined, warning: undefined });
  });

  it("F4 counts back from the newest call, however long ago that was", async () => {
    expect(await countFrom([-5, -3, -1])).toEqual({ from: -1, warning: undefined });
    expect(await countFrom([-124, -122.5, -110, -100])).toEqual({ from: -101.5, warning: undefined });
  });

  it("F4 is not changed by a clock that is two years ahead, which is reported", async () => {
    const counted = await countFrom([-5, -3, -1], NOW + 730 * DAY);
    expect(counted.from).toBe(-1);
    expect(counted.warning).toMatch(/^This computer's clock says 2028-07-31T00:00:00.000Z, more than a year after/);
  });

  it("F4 hardly counts a newest call two years ahead while the clock that dated it is still wrong", async () => {
    const counted = await countFrom([-5, -3, -1, 730], NOW + 730 * DAY);
    expect(counted.from).toBe(-1 + 90 / 4);
    expect(counted.warning).toContain(`after the calls in the call log (${iso(NOW - DAY + KEEP / 4)})`);
  });

  it("F4 does not count a newest call two years ahead at all once the clock is right again, and reports it", async () => {
    const counted = await countFrom([-5, -3, -1, 730]);
    expect(counted.from).toBe(-1);
    expect(counted.warning).toMatch(/is dated 2028-07-31T00:00:00.000Z, but this computer's clock says 2026-08-01/);
    expect(await countFrom([-5, -3, -1, 730, 0])).toEqual({ from: 0, warning: undefined });
  });

  it("F4 removes nothing for its age under a clock that is behind all calls, which is reported", async () => {
    const atEpoch = await countFrom([-5, -3, -1], 0);
    expect(atEpoch.from).toBeUndefined();
    expect(atEpoch.warning).toMatch(/^This computer's clock says 1970-01-01T00:00:00.000Z, which cannot be right\./);
    const yearBehind = await countFrom([-5, -3, -1], NOW - 365 * DAY);
    expect(yearBehind.from).toBeUndefined();
    expect(yearBehind.warning).toContain("but this computer's clock says 2025-08-01");
  });

  it("F4 pays no attention to calls dated before there was a Tacklebox", async () => {
    const epoch = -NOW / DAY;
    expect(await countFrom([-5, epoch, epoch, -1])).toEqual({ from: -1, warning: undefined });
    expect(await countFrom([-5, -1, epoch])).toEqual({ from: undefined, warning: undefined });
  });

  it("believes a jump once calls have gone on for a quarter of the time they are kept", async () => {
    expect(await countFrom([-200, -199, -20, -10, 0])).toEqual({ from: -199 + 90 / 4, warning: undefined });
    expect(await countFrom([-200, -199, -23, -10, 0])).toEqual({ from: -23 + 90 / 4, warning: undefined });
    expect(await countFrom([-200, -199, -24, -20, -10, -1])).toEqual({ from: -1.5, warning: undefined });
  });
});
