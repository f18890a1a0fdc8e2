import { expect, it } from "vitest";
import { listen } from "../client/listen.ts";
import type { CallOutcome } from "../domain/call.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { CallOptions, Engine } from "../engine.ts";
import {
  allow,
  createFaultyPorts,
  createTestEngine,
  type Fault,
  type ManualClock,
  testDefinition,
  testSettings,
} from "../testing/index.ts";
import { createRemoteEngine } from "../wire/remote-engine.ts";
import { serveEngine } from "../wire/serve-engine.ts";

const TOOL = { name: "echo", inputSchema: { type: "object" } };
const ECHO = { tool: "echo", arguments: { message: "hi" } };

/** An engine with one slot, so that a call that keeps it is noticed by the next. */
async function start(wire = false) {
  const faulty = createFaultyPorts();
  const test = createTestEngine({
    servers: [testDefinition("s")],
    toolbox: { maxConcurrent: 1 },
    ports: faulty.ports,
    approver: {
      asked: [],
      ask: async (request) => ({ answer: { ...allow(request), lasting: "always" } }),
    },
  });
  faulty.connector.server("s").tools = [TOOL];
  const room = { taken: 0, left: 0 };
  faulty.connector.server("s").answer = ({ onProgress, onRoom }) => {
    onProgress?.({ progress: 1, total: 2 });
    if (onRoom !== undefined) room.taken += 1;
    onRoom?.(() => {
      room.left += 1;
    });
    return { content: [{ type: "text", text: "ok" }], structuredContent: { ok: true }, isError: false };
  };
  await test.host.start();
  const events: EngineEvent[] = [];
  listen(test.engine, (event) => void events.push(event));
  return { ...faulty, events, room, host: test.host, engine: wire ? acrossWire(test.engine) : test.engine };
}

function acrossWire(engine: Engine): Engine {
  const listeners: ((text: string) => void)[] = [];
  const end = (own: number) => ({
    send: (text: string) => queueMicrotask(() => listeners[1 - own]?.(text)),
    receive(listener: (text: string) => void) {
      listeners[own] = listener;
    },
  });
  serveEngine(engine, end(0));
  return createRemoteEngine(end(1)).engine;
}

const DOORS: readonly (readonly [string, CallOptions, boolean])[] = [
  ["a call that policy allows", {}, false],
  ["a call that a person is asked about", { attended: true, approvalMode: "always-ask" }, false],
  ["a call across a wire", { attended: true, approvalMode: "always-ask" }, true],
];

async function callUnder(fault: Fault, options: CallOptions, wire: boolean) {
  const test = await start(wire);
  test.arm(fault);
  const outcome = await inTime(test.engine.calls.make(ECHO, options), test.clock);
  test.disarm();
  const record = await test.store.calls.load(outcome.callId);
  const later = await inTime(test.engine.calls.make(ECHO), test.clock);
  const used = [...test.used];
  const open = await test.engine.approvals.list();
  // A lease that was kept would be waited for.
  await test.host.reload({ toolbox: testSettings(), servers: [] });
  const isStopped = await inTime(test.host.stop(), test.clock).then(
    () => true,
    () => false,
  );
  return { ...test, used, outcome, record, later, open, isStopped };
}

/** Lets time pass for work that does not end by itself at once: a call without a slot ends after its longest wait. */
async function inTime<T>(work: Promise<T>, clock: ManualClock): Promise<T> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  for (let turn = 0; turn < 100 && !isOver; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (turn > 20) clock.advance(10_000);
  }
  if (!isOver) throw new Error("It never ended");
  return work;
}

type Seen = Awaited<ReturnType<typeof callUnder>>;

/** What is wrong after a fault, as texts. */
function problemsOf(
  method: string,
  { outcome, record, later, open, events, room, isStopped }: Seen,
): readonly string[] {
  const ends = events.filter(
    (event) => event.type === "call-changed" && event.call.id === outcome.callId && isOver(event.call.status),
  );
  const logWorks = !method.startsWith("store.calls");
  // The stream of events needs the time, too.
  const eventsWork = logWorks && !method.startsWith("clock");
  return [
    ...(logWorks && record?.status !== outcome.status ? [`recorded as ${record?.status}`] : []),
    ...(eventsWork && ends.length !== 1 ? [`announced ${ends.length} times`] : []),
    ...(isStopped ? [] : ["the engine did not stop"]),
    ...(open.length > 0 ? ["an approval stayed open"] : []),
    ...(room.left !== room.taken ? [`${room.taken} times room was taken, ${room.left} times it was given back`] : []),
    ...(later.status === "success" ? [] : [`a later call ended as ${later.failure.ending}`]),
    ...(outcome.status === "error" && outcome.failure.message.includes("is broken") && logWorks
      ? [`says ${outcome.failure.message}`]
      : []),
  ].map((problem) => `${method}: ${problem} (${endingOf(outcome)})`);
}

const isOver = (status: string) => status === "success" || status === "error";
const endingOf = (outcome: CallOutcome) => (outcome.status === "success" ? "success" : outcome.failure.ending);

it.each(DOORS)(
  "%s ends once, is recorded and lets go, whichever use of a port throws",
  async (_, options, wire) => {
    const { used, outcome } = await callUnder(() => false, options, wire);
    expect(outcome.status).toBe("success");
    const uses = used.map((method, at) => ({
      method,
      before: used.slice(0, at).filter((earlier) => earlier === method).length,
    }));
    const problems: string[] = [];
    for (const { method, before } of uses) {
      const seen = await callUnder((name, count) => name === method && count === before, options, wire);
      problems.push(...problemsOf(`${method} #${before}`, seen));
    }
    expect(problems).toEqual([]);
    // What the path uses; a port that is missing here is not tested at all.
    expect(new Set(used.map((method) => method.split(".")[0]))).toEqual(
      new Set(["clock", "connection", "metrics", "redact", "shares", "store", "validator", ...hasherIf(options)]),
    );
  },
  60_000,
);

function hasherIf({ attended }: CallOptions): string[] {
  return attended === true ? ["hasher"] : [];
}

it.each(DOORS)(
  "%s ends once, is recorded and lets go, while a port throws all the time",
  async (_, options, wire) => {
    const { used } = await callUnder(() => false, options, wire);
    const problems: string[] = [];
    for (const method of new Set([...used, "logger.log"])) {
      const seen = await callUnder((name) => name === method || name === "logger.log", options, wire);
      problems.push(...problemsOf(method, seen));
    }
    expect(problems).toEqual([]);
  },
  60_000,
);

it.each(["logger.log", "metrics.toolUsed", "metrics.callEnded"])(
  "a call succeeds although %s throws",
  async (method) => {
    const { outcome } = await callUnder((name) => name === method, {}, false);
    expect(outcome.status).toBe("success");
  },
);

it("F2 says that it is a bug, with the call's id, and logs what was thrown", async () => {
  const { outcome, logger } = await callUnder((name) => name === "connection.callTool", {}, false);
  expect(outcome).toMatchObject({
    status: "error",
    failure: {
      ending: "interrupted",
      message: `Tacklebox failed during the call because of an internal error; it may have run. Its log says more about call ${outcome.callId}; please report it`,
    },
  });
  expect(logger.texts("error")).toContain("A call failed because of a bug in Tacklebox");
});

it.each([
  ["its answer fails in an unknown way", () => Promise.reject(new TypeError("no"))],
  [
    "its answer cannot be read",
    () => ({
      get content(): never {
        throw new Error("no");
      },
      isError: false,
    }),
  ],
])("a call ends when %s", async (_, answer) => {
  const test = await start();
  test.connector.server("s").answer = answer;
  const outcome = await test.engine.calls.make(ECHO);
  expect(endingOf(outcome)).toBe("interrupted");
  await test.host.reload({ toolbox: testSettings(), servers: [] });
  await inTime(test.host.stop(), test.clock);
  expect(await test.store.calls.load(outcome.callId)).toMatchObject({ status: "error", sent: true });
});

it("a large outcome keeps its room until it is written, however that ends", async () => {
  const test = await start();
  const writings: { end: () => void; fail: (error: Error) => void }[] = [];
  const onLargeOutcome = () =>
    new Promise<void>((end, fail) => {
      writings.push({ end, fail });
    });
  await Promise.all([1, 2].map(() => test.engine.calls.make(ECHO, { onLargeOutcome })));
  expect(test.room).toEqual({ taken: 2, left: 0 });
  writings[0]?.end();
  writings[1]?.fail(new Error("no reader"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(test.room).toEqual({ taken: 2, left: 2 });
});

it("a call has succeeded although its large outcome cannot be written", async () => {
  const test = await start();
  const onLargeOutcome = () => {
    throw new TypeError("no");
  };
  const outcome = await test.engine.calls.make(ECHO, { onLargeOutcome });
  expect([outcome.status, (await test.store.calls.load(outcome.callId))?.status]).toEqual(["success", "success"]);
  expect(test.room).toEqual({ taken: 1, left: 1 });
  expect(test.logger.texts("error")).toEqual(["Tacklebox has a bug: handing over a large outcome failed"]);
});

it("a result nested too deeply ends its call as oversize, whatever connector it came through", async () => {
  const test = await start();
  let deep: unknown = 1;
  for (let level = 0; level < 5_000; level += 1) deep = [deep];
  test.connector.server("s").answer = () => ({ content: [], structuredContent: deep as never, isError: false });
  expect(await test.engine.calls.make(ECHO)).toMatchObject({
    failure: {
      ending: "oversize",
      message: "Tool 'echo' answered with a result nested more than 500 levels deep. It has run",
    },
  });
});
