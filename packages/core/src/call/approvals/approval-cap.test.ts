import { expect, it } from "vitest";
import { allow, ECHO, startTestRuns, waitUntil } from "../../testing/index.ts";
import { MAX_APPROVALS } from "./approval-queue.ts";

const echo = { tool: "echo", arguments: { message: "x" } };
const ASK = { approvalMode: "always-ask", attended: true } as const;

async function startWaiting(count: number) {
  const test = await startTestRuns([], { toolbox: { tools: [{ name: ECHO.name, maxInstances: 1_000 }] } });
  test.stopAnswering();
  for (let made = 0; made < count; made += 1) void test.engine.calls.make(echo, ASK);
  await waitUntil(async () => (await test.engine.approvals.list()).length >= MAX_APPROVALS);
  const stop = async () => {
    const stopped = test.host.stop(0);
    test.clock.advance(0);
    await stopped;
  };
  return { ...test, stop };
}

it("a call that needs approval while too many others wait ends as `limit` and is not shown", async () => {
  const { stop, engine, connector } = await startWaiting(MAX_APPROVALS);
  const outcome = await engine.calls.make(echo, ASK);
  expect(outcome).toMatchObject({
    status: "error",
    failure: {
      ending: "limit",
      message: "Tool 'echo' needs approval, and too many calls wait for one already. Answer those first",
    },
  });
  expect(await engine.calls.get(outcome.callId)).toMatchObject({ status: "error", ending: "limit", sent: false });
  const waiting = await engine.approvals.list();
  expect(waiting).toHaveLength(MAX_APPROVALS);
  expect(waiting.map(({ callId }) => callId)).not.toContain(outcome.callId);
  // Calls that need no approval are still made, and an answer makes room for the next approval.
  expect((await engine.calls.make(echo)).status).toBe("success");
  const [first] = waiting;
  if (first === undefined) throw new Error("Nothing waits");
  expect(await engine.approvals.answer(first.callId, allow(first))).toBe(true);
  await waitUntil(async () => (await engine.calls.get(first.callId))?.status === "success");
  const next = engine.calls.make(echo, ASK);
  await waitUntil(async () => (await engine.approvals.list()).length === MAX_APPROVALS);
  await stop();
  expect(await next).toMatchObject({ failure: { ending: "cancelled" } });
  expect(connector.calls).toHaveLength(2);
});

it("the cap also holds for calls that come all at once", async () => {
  const { stop, engine, endings } = await startWaiting(MAX_APPROVALS + 20);
  await waitUntil(() => endings.length === 20);
  expect(endings).toEqual(Array<string>(20).fill("limit"));
  expect(await engine.approvals.list()).toHaveLength(MAX_APPROVALS);
  await stop();
});
