import { describe, expect, it } from "vitest";
import type { CallOutcome, CallRecord, ToolResult } from "../../domain/call.ts";
import { createManualClock } from "../../testing/manual-clock.ts";
import { createMemoryShares } from "../../testing/memory/memory-shares.ts";
import { createScriptedShares } from "../../testing/scripted-shares.ts";
import { testDefinition } from "../../testing/test-definition.ts";
import { createTestEngine, type TestEngineOptions } from "../../testing/test-engine.ts";
import { waitUntil } from "../../testing/wait-until.ts";

const TOOL = "tool:agent/echoer/echo";
const RATE = "agent/echoer";
const echo = { tool: "echo", arguments: {} };
const done: ToolResult = { content: [], isError: false };
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** An engine whose calls stay at their server until a test ends them. */
async function startEngine(options: TestEngineOptions) {
  const test = createTestEngine({
    servers: [testDefinition("echoer")],
    toolbox: { tools: [{ name: "echo", maxInstances: 5, timeoutMs: 600_000 }] },
    ...options,
  });
  const saved: CallRecord["status"][] = [];
  const { calls } = test.store;
  const save = calls.save.bind(calls);
  calls.save = (record, before) => {
    saved.push(record.status);
    return save(record, before);
  };
  const ends: (() => void)[] = [];
  const server = test.connector.server("echoer");
  server.tools = [{ name: "echo", inputSchema: { type: "object" } }];
  server.answer = () => new Promise((resolve) => ends.push(() => resolve(done)));
  await test.host.start();
  const isPending = async () => (await test.engine.calls.list({ limit: 5, status: "pending" })).items.length > 0;
  return { ...test, saved, atServer: () => ends.length, end: () => ends.shift()?.(), isPending };
}

function messageOf(outcome: CallOutcome): string {
  return outcome.status === "error" ? outcome.failure.message : outcome.status;
}

describe("an engine with shares", () => {
  it("that grant 1 of 5 runs one call at a time, and goes on with the next when the grant rises", async () => {
    const shares = createScriptedShares();
    shares.grants.set(TOOL, 1);
    const { engine, atServer, end, isPending } = await startEngine({ ports: { shares } });
    const calls = [engine.calls.make(echo), engine.calls.make(echo)];
    await waitUntil(isPending);
    expect(atServer()).toBe(1);
    shares.grant(TOOL, 2);
    await waitUntil(() => atServer() === 2);
    for (const _call of calls) end();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(["success", "success"]);
  });

  it("stores a call that finds room as running, and never as pending", async () => {
    const shares = createScriptedShares();
    shares.grants.set(TOOL, 1);
    const { engine, atServer, end, saved } = await startEngine({ ports: { shares } });
    const call = engine.calls.make(echo);
    await waitUntil(() => atServer() === 1);
    end();
    await call;
    expect(saved).toEqual(["running", "success"]);
    expect(shares.notes).toEqual([]);
  });

  it("names the limit itself to a call that waited in vain for a lower grant", async () => {
    const shares = createScriptedShares();
    shares.grants.set(TOOL, 0);
    const { engine, clock, isPending } = await startEngine({ ports: { shares } });
    const call = engine.calls.make(echo);
    await waitUntil(isPending);
    clock.advance(30_000);
    expect(messageOf(await call)).toBe("Tool 'echo' is at its limit of 5 concurrent calls");
  });

  it("makes a server's calls from chunks of its rate", async () => {
    const shares = createScriptedShares();
    shares.chunks.set(RATE, [1]);
    const servers = [testDefinition("echoer", { rate: { perMinute: 6, burst: 2 } })];
    const { engine, clock, atServer, end, isPending } = await startEngine({ servers, ports: { shares } });
    const calls = [engine.calls.make(echo), engine.calls.make(echo)];
    await waitUntil(isPending);
    expect(atServer()).toBe(1);
    shares.addCalls(RATE, 1);
    await waitUntil(() => atServer() === 2);
    const late = engine.calls.make(echo);
    await waitUntil(isPending);
    clock.advance(30_000);
    expect(messageOf(await late)).toBe("Server 'echoer' is at its rate limit of 6 calls per minute");
    for (const _call of calls) end();
    await Promise.all(calls);
  });
});

describe("an engine without shares", () => {
  it("lets a call wait for its rate and for room together no longer than it may wait", async () => {
    const { engine, clock, atServer, end, isPending } = await startEngine({
      servers: [testDefinition("echoer", { rate: { perMinute: 6, burst: 1 } })],
      toolbox: { tools: [{ name: "echo", maxInstances: 1, timeoutMs: 600_000 }] },
    });
    const first = engine.calls.make(echo);
    await waitUntil(() => atServer() === 1);
    const second = engine.calls.make(echo);
    await waitUntil(isPending);
    clock.advance(10_000);
    await turn();
    clock.advance(19_999);
    await turn();
    expect(await isPending()).toBe(true);
    clock.advance(1);
    expect(messageOf(await second)).toBe("Tool 'echo' is at its limit of 1 concurrent calls");
    end();
    await first;
  });
});

describe("two engines over one pool of shares", () => {
  it("run no more calls together than one alone may, and get all of them done", async () => {
    const clock = createManualClock();
    const pool = createMemoryShares(clock);
    const engines = await Promise.all(
      [1, 2].map(() => startEngine({ ports: { clock, shares: pool.join() }, toolbox: { maxConcurrent: 3 } })),
    );
    const calls = engines.flatMap(({ engine }) => Array.from({ length: 10 }, () => engine.calls.make(echo)));
    let left = calls.length;
    for (const call of calls) void call.then(() => (left -= 1));
    await waitUntil(async () => {
      const atServers = engines.reduce((sum, { atServer }) => sum + atServer(), 0);
      expect(atServers).toBeLessThanOrEqual(3);
      for (const { end } of engines) end();
      await turn();
      return left === 0;
    });
    expect((await Promise.all(calls)).every(({ status }) => status === "success")).toBe(true);
  });
});
