import { expect, it } from "vitest";
import { listen } from "../client/listen.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { RunEvent } from "../domain/run.ts";
import { asksFor, startTestRuns, waitUntil } from "../testing/index.ts";

const ECHO = { tool: "echo", arguments: { message: "hi" } };

async function startEngine() {
  const { engine, connector, stopAnswering, run } = await startTestRuns([asksFor({ id: "c1", ...ECHO })]);
  // The test engine's own listener would count as a follower.
  stopAnswering();
  /** Whether each call asked for progress. */
  const asked: boolean[] = [];
  connector.server("s").answer = ({ onProgress }) => {
    asked.push(onProgress !== undefined);
    onProgress?.({ progress: 1 });
    return { content: [], isError: false };
  };
  return { engine, run, asked };
}

it("asks for progress only if someone follows it: the run it belongs to, or a listener", async () => {
  const { engine, run, asked } = await startEngine();
  const received: unknown[] = [];
  const onEvent = (event: EngineEvent | RunEvent) => {
    if (event.type === "call-progressed") received.push(event);
  };
  await engine.calls.make(ECHO);
  for (const event of await run("Say hi.")) onEvent(event);
  const unsubscribe = listen(engine, onEvent);
  await engine.calls.make({ ...ECHO, id: "listened" });
  await waitUntil(() => received.length === 2);
  unsubscribe();
  await engine.calls.make(ECHO);
  expect(asked).toEqual([false, true, true, false]);
  expect(received).toEqual([
    { type: "call-progressed", callId: expect.any(String), progress: { progress: 1 } },
    { type: "call-progressed", callId: "listened", progress: { progress: 1 } },
  ]);
});
