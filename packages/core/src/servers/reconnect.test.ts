import { describe, expect, it } from "vitest";
import { listen } from "../client/listen.ts";
import { ConnectionError } from "../domain/connection.ts";
import type { EngineEvent } from "../domain/events.ts";
import { createTestEngine, testDefinition, waitUntil } from "../testing/index.ts";

const refused = new ConnectionError("unreachable", "connection refused.");

async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

async function running(overrides: Parameters<typeof testDefinition>[1] = {}) {
  const test = createTestEngine({ servers: [testDefinition("s", overrides), testDefinition("other")] });
  test.connector.server("s").tools = [{ name: "a" }];
  test.connector.server("other").tools = [{ name: "b" }];
  await test.host.start();
  const events: EngineEvent[] = [];
  listen(test.engine, (event) => events.push(event));
  const call = (tool = "a") => test.engine.calls.make({ tool, arguments: {} });
  const view = async () => (await test.engine.servers.list()).find(({ key }) => key === "s");
  return { ...test, events, call, view };
}

describe("a server that goes away", () => {
  it("is started again by a call right after a crash, and the call runs", async () => {
    const { connector, call } = await running();
    connector.drop("s", "it exited with code 1");
    expect(await call()).toMatchObject({ status: "success" });
    expect(connector.opened("s")).toBe(2);
  });

  it("is started at most 5 times a minute if it crashes on every call, and others are not affected", async () => {
    const { connector, clock, call } = await running();
    connector.server("s").answer = () => {
      connector.drop("s", "it exited with code 1");
      return new Promise(() => undefined);
    };
    for (let round = 0; round < 20; round += 1) expect((await call()).status).toBe("error");
    expect(connector.opened("s")).toBe(5);
    expect(connector.calls.filter(({ server }) => server === "s")).toHaveLength(5);
    expect(await call("b")).toMatchObject({ status: "success" });
    clock.advance(59_000);
    await settle();
    expect(connector.opened("s")).toBe(5);
    clock.advance(1_000);
    await waitUntil(() => connector.opened("s") === 6);
  });

  it("reports in its view and event how often it failed to start and when it is tried again", async () => {
    const { connector, clock, events, call, view } = await running();
    connector.server("s").refuse = refused;
    connector.drop("s", "it exited");
    expect(await call()).toMatchObject({ failure: { ending: "unreachable" } });
    const retry = { failures: 2, nextAttemptAt: "2026-01-01T00:00:00.500Z" };
    expect(await view()).toMatchObject({ status: "error", cause: "connection refused.", retry });
    await expect
      .poll(() => events)
      .toContainEqual(expect.objectContaining({ type: "connection-changed", server: "s", status: "error", retry }));
    expect(await call()).toMatchObject({
      failure: {
        message:
          "Server 's' is down: connection refused. It failed 2 times in a row and is tried again at 2026-01-01T00:00:00.500Z. For its status, run: show the servers",
      },
    });
    delete connector.server("s").refuse;
    clock.advance(500);
    await waitUntil(async () => (await view())?.status === "connected");
    expect(await view()).not.toHaveProperty("retry");
  });

  it("is tried once a minute after five failures within a minute (the circuit is open)", async () => {
    const { connector, clock } = await running();
    connector.server("s").refuse = refused;
    connector.drop("s", "it exited");
    for (let second = 0; second < 60; second += 1) {
      clock.advance(1_000);
      await settle();
    }
    const afterFirstMinute = connector.opened("s");
    expect(afterFirstMinute).toBeLessThanOrEqual(5 + 1);
    for (let second = 0; second < 180; second += 1) {
      clock.advance(1_000);
      await settle();
    }
    expect(connector.opened("s") - afterFirstMinute).toBeLessThanOrEqual(3);
    expect(connector.opened("s") - afterFirstMinute).toBeGreaterThanOrEqual(2);
  });

  it("is not blamed when a local resource runs out: the circuit stays closed", async () => {
    const { engine, connector, clock, view } = await running();
    connector.server("s").refuse = new ConnectionError("unreachable", "no file is left", { isOurs: true });
    connector.drop("s", "it exited");
    for (let tries = 0; tries < 8; tries += 1) await engine.servers.connect("s");
    clock.advance(61_000);
    await settle();
    connector.server("s").refuse = refused;
    await engine.servers.connect("s");
    const { retry } = (await view()) ?? {};
    expect(Date.parse(retry?.nextAttemptAt ?? "") - clock.now()).toBeLessThan(60_000);
  });

  it("is limited within one start too, however many retry_attempts are configured", async () => {
    const { host, connector, clock } = createTestEngine({
      servers: [testDefinition("s", { retryAttempts: 5 })],
    });
    connector.server("s").refuse = refused;
    const started = host.start();
    for (let tries = 1; tries < 5; tries += 1) {
      await waitUntil(() => connector.opened("s") === tries && clock.pending() > 0);
      clock.advance(5_000);
    }
    await started;
    expect(connector.opened("s")).toBe(5);
  });

  it("can be connected by a person at any time", async () => {
    const { engine, connector } = await running();
    connector.server("s").refuse = refused;
    connector.drop("s", "it exited");
    for (let tries = 0; tries < 8; tries += 1) expect((await engine.servers.connect("s")).kind).toBe("failed");
    expect(connector.opened("s")).toBe(9);
    delete connector.server("s").refuse;
    expect(await engine.servers.connect("s")).toMatchObject({ kind: "ok", value: { status: "connected" } });
  });

  it("has one connection even if it is connected again before its last opening gave up", async () => {
    const { engine, host, connector, view } = await running();
    await engine.servers.disconnect("s");
    const letGo: (() => void)[] = [];
    const holdOpenings = () => {
      connector.server("s").ready = new Promise<void>((resolve) => letGo.push(resolve));
    };
    holdOpenings();
    const first = engine.servers.connect("s");
    await waitUntil(() => connector.opened("s") === 2);
    const disconnected = engine.servers.disconnect("s");
    holdOpenings();
    const second = engine.servers.connect("s");
    await waitUntil(() => connector.opened("s") === 3);
    letGo[0]?.();
    expect((await first).kind).toBe("failed");
    await disconnected;
    expect((await view())?.status).toBe("connecting");
    const third = engine.servers.connect("s");
    letGo[1]?.();
    expect([(await second).kind, (await third).kind]).toEqual(["ok", "ok"]);
    expect([connector.opened("s"), connector.live()]).toEqual([3, 2]);
    await host.stop();
    expect(connector.live()).toBe(0);
  });

  it("reports what it wrote last when a start times out", async () => {
    const mute = testDefinition("mute", { timeoutMs: 2_000 });
    const { host, engine, clock } = createTestEngine({
      servers: [mute],
      ports: {
        connectors: [
          {
            transports: ["stdio"],
            open: (_definition, _options, signal) =>
              new Promise((_resolve, reject) => {
                const stopped = new ConnectionError("cancelled", "stopped", { ifLate: "Loading model ..." });
                signal.addEventListener("abort", () => reject(stopped));
              }),
          },
        ],
      },
    });
    const started = host.start();
    await waitUntil(() => clock.pending() > 0);
    clock.advance(2_000);
    await started;
    expect((await engine.servers.list())[0]?.cause).toBe("no answer within 2 s\nLoading model ...");
  });
});

it("a server that does not list its tools in time is down, and its cause says why", async () => {
  const { host, engine, connector, clock } = createTestEngine({ servers: [testDefinition("s", { timeoutMs: 2_000 })] });
  const listTools = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new ConnectionError("cancelled", "The call was cancelled.")));
    });
  connector.server("s").offers = { listTools };
  const started = host.start();
  await waitUntil(() => connector.live() === 1 && clock.pending() > 0);
  clock.advance(2_000);
  await started;
  expect(await engine.servers.list()).toMatchObject([
    { status: "error", cause: "it did not list its tools within 2 s" },
  ]);
});

describe("a server that asks to be left alone (429 or 503 with Retry-After)", () => {
  const busy = new ConnectionError("unreachable", "HTTP 429: Too Many Requests (Retry-After: 30)", {
    retryAfterMs: 30_000,
  });

  it("fails that call, refuses later calls without asking it until then, and does not affect other servers", async () => {
    const { connector, clock, events, call, view } = await running();
    connector.server("s").answer = () => {
      throw busy;
    };
    expect(await call()).toMatchObject({
      failure: { ending: "unreachable", message: "HTTP 429: Too Many Requests (Retry-After: 30)" },
    });
    const until =
      "it asked to be left alone until 2026-01-01T00:00:30.000Z (HTTP 429: Too Many Requests (Retry-After: 30)); try again then";
    expect(await call()).toMatchObject({
      failure: {
        ending: "unreachable",
        message: `Server 's' is down: ${until}. For its status, run: show the servers`,
      },
    });
    expect(connector.calls).toHaveLength(1);
    expect(await view()).toMatchObject({ status: "connected", cause: until });
    await expect
      .poll(() => events)
      .toContainEqual(expect.objectContaining({ type: "connection-changed", cause: until }));
    expect(await call("b")).toMatchObject({ status: "success" });

    connector.server("s").answer = () => ({ content: [], isError: false });
    clock.advance(30_000);
    expect(await call()).toMatchObject({ status: "success" });
    expect(await view()).not.toHaveProperty("cause");
  });

  it("is not tried again before that time if it said so while connecting", async () => {
    const { host, connector, clock } = createTestEngine({ servers: [testDefinition("s", { retryAttempts: 3 })] });
    connector.server("s").refuse = busy;
    await host.start();
    delete connector.server("s").refuse;
    clock.advance(29_999);
    await settle();
    expect(connector.opened("s")).toBe(1);
    clock.advance(1);
    await waitUntil(() => connector.opened("s") === 2);
  });
});

it("protocol violations of a server are counted per server and logged once per kind", async () => {
  const { connector, logger, view } = await running();
  expect((await view())?.oddities).toEqual({});
  for (let times = 0; times < 3; times += 1) connector.options("s").onOddity?.("unreadable");
  connector.options("s").onOddity?.("late-answer");
  expect((await view())?.oddities).toEqual({ unreadable: 3, "late-answer": 1 });
  expect(logger.texts("warn")).toEqual([
    "MCP server 's' sends text that is not MCP where messages belong; it is skipped. Servers should write logs to stderr",
    "MCP server 's' answers calls after they were over, or twice; such answers are skipped",
  ]);
});

it("a server that floods is reported with its rate, in the log and for a while in its view", async () => {
  const { connector, clock, logger, events, view } = await running();
  connector.options("s").onFlood?.({ kind: "paused", perSecond: 48_000 });
  const what = "sent about 48,000 messages a second that nothing had asked for";
  const paused = `${what}; it is paused, and its messages are read slowly`;
  expect(await view()).toMatchObject({ status: "connected", cause: `${paused} (at 2026-01-01T00:00:00.000Z)` });
  await expect
    .poll(() => events)
    .toContainEqual(expect.objectContaining({ server: "s", status: "connected", cause: paused }));

  connector.options("s").onFlood?.({ kind: "ended", perSecond: 48_000 });
  connector.drop("s", "it would not stop");
  expect(await view()).toMatchObject({ status: "error", cause: "it would not stop" });
  clock.advance(1_000);
  await waitUntil(async () => (await view())?.status === "connected");
  const replaced = `${what}, and went on while it was paused; its connection is replaced`;
  expect(await view()).toMatchObject({ status: "connected", cause: `${replaced} (at 2026-01-01T00:00:00.000Z)` });
  expect(logger.texts("warn")).toEqual([`MCP server 's' ${paused}`, `MCP server 's' ${replaced}`]);
  clock.advance(10 * 60_000);
  expect((await view())?.cause).toBeUndefined();
});

it("an opening that needs several processes stops at the fifth start of a minute", async () => {
  const { connector, call } = await running();
  connector.server("s").answer = () => {
    connector.drop("s", "it exited with code 1");
    return new Promise(() => undefined);
  };
  const another: (boolean | undefined)[] = [];
  for (let round = 0; round < 3; round += 1) {
    const { onStart, mayStartAnother } = connector.options("s");
    onStart?.();
    another.push(mayStartAnother?.());
    onStart?.();
    await call();
    await call();
  }
  expect(another).toEqual([true, true, false]);
  expect(connector.opened("s")).toBeLessThanOrEqual(5);
});
