import { expect, it } from "vitest";
import { listen } from "../client/listen.ts";
import type { ToolResult } from "../domain/call.ts";
import type { EngineEvent } from "../domain/events.ts";
import { createTestEngine, testDefinition, waitUntil } from "../testing/index.ts";

const ANSWER: ToolResult = { content: [], isError: false };
const HELLO = { tool: "echo", arguments: {} };

/** Makes a call that times out after a second; its server can still answer it afterwards. */
async function timedOutCall() {
  const test = createTestEngine({
    servers: [testDefinition("s")],
    toolbox: { tools: [{ name: "echo", timeoutMs: 1_000 }] },
  });
  const server = test.connector.server("s");
  server.tools = [{ name: "echo", inputSchema: { type: "object" } }];
  server.ignoresCancel = true;
  let reply: (result: ToolResult) => void = () => undefined;
  server.answer = () => new Promise((resolve) => (reply = resolve));
  await test.host.start();
  const events: EngineEvent[] = [];
  listen(test.engine, (event) => events.push(event));
  const call = test.engine.calls.make(HELLO);
  await waitUntil(() => test.connector.calls.length === 1);
  test.clock.advance(1_000);
  expect(await call).toMatchObject({ failure: { ending: "timed-out" } });
  const record = async () => (await test.engine.calls.list({ limit: 1 })).items[0];
  return { ...test, server, record, events, answer: () => reply(ANSWER) };
}

const TWO_YEARS = 730 * 24 * 60 * 60 * 1_000;

it("a late answer is added to the record and announced, and changes nothing else", async () => {
  const { record, events, answer, clock } = await timedOutCall();
  const before = await record();
  clock.advance(500);
  answer();
  await waitUntil(async () => (await record())?.lateAnswerAt !== undefined);
  const at = new Date(Date.parse(before?.completedAt ?? "") + 500).toISOString();
  expect(await record()).toEqual({ ...before, lateAnswerAt: at });
  const { owner: _owner, ...call } = { ...before, lateAnswerAt: at };
  await waitUntil(() => events.length === 4);
  expect(events.at(-1)).toEqual({ type: "call-changed", call });
});

it("F19 a late answer is dated by the time that passed since the call ended, whatever the clock was set to", async () => {
  const { record, answer, clock } = await timedOutCall();
  const before = await record();
  clock.shift(-TWO_YEARS);
  clock.advance(500);
  answer();
  await waitUntil(async () => (await record())?.lateAnswerAt !== undefined);
  expect(Date.parse((await record())?.lateAnswerAt ?? "") - Date.parse(before?.completedAt ?? "")).toBe(500);
});

it("a call whose server never answers is left as it is", async () => {
  const { engine, record, clock, server, connector } = await timedOutCall();
  const before = await record();
  server.answer = () => ANSWER;
  clock.advance(5_000);
  await waitUntil(() => connector.closed("s") === 1);
  expect(await record()).toEqual(before);
  expect(await engine.calls.make(HELLO)).toMatchObject({ status: "success" });
});

it("a late answer that cannot be recorded is logged, and the next call is made", async () => {
  const { engine, store, server, answer, logger } = await timedOutCall();
  store.calls.noteLateAnswer = () => Promise.reject(new Error("The disk is full"));
  server.answer = () => ANSWER;
  answer();
  await waitUntil(() => logger.lines.some(({ text }) => text === "A late answer cannot be noted"));
  expect(await engine.calls.make(HELLO)).toMatchObject({ status: "success" });
});
