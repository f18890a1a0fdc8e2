import { expect, it } from "vitest";
import type { EngineEvent } from "../domain/events.ts";
import { createTestEngine, testDefinition } from "../testing/index.ts";

const ECHO = { tool: "echo", arguments: {} };

async function startEngine() {
  const { engine, connector, stopAnswering } = createTestEngine({ servers: [testDefinition("s")] });
  // It listens, too.
  stopAnswering();
  const server = connector.server("s");
  server.tools = [{ name: "echo", inputSchema: { type: "object" } }];
  /** Whether each call asked for progress. */
  const asked: boolean[] = [];
  server.answer = ({ onProgress }) => {
    asked.push(onProgress !== undefined);
    onProgress?.({ progress: 1 });
    return { content: [], isError: false };
  };
  await engine.start();
  return { engine, asked };
}

it("asks for progress only where somebody follows it: the caller, or a listener", async () => {
  const { engine, asked } = await startEngine();
  await engine.callTool(ECHO);
  const heard: unknown[] = [];
  await engine.callTool(ECHO, { onProgress: (progress) => heard.push(progress) });
  const unsubscribe = engine.subscribe((event: EngineEvent) => {
    if (event.type === "call-progressed") heard.push(event.progress);
  });
  await engine.callTool(ECHO);
  unsubscribe();
  await engine.callTool(ECHO);
  expect(asked).toEqual([false, true, true, false]);
  expect(heard).toEqual([{ progress: 1 }, { progress: 1 }]);
});
