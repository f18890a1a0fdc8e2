import { expect, it } from "vitest";
import { asksFor, createFaultyPorts, endOfRun, outcomesOfRun, startTestRuns } from "../testing/index.ts";

it.each([
  "validator.check",
  "connection.callTool",
  "store.calls.save",
  "metrics.toolUsed",
  "metrics.callEnded",
  "logger.log",
  "shares.slots.granted",
])("a run goes on with one result for its call when %s throws", async (method) => {
  const faulty = createFaultyPorts();
  const turn = asksFor({ id: "1", tool: "echo", arguments: { message: "hi" } });
  const { run, model } = await startTestRuns(
    [
      () => {
        faulty.arm((name, before) => name === method && before === 0);
        return turn;
      },
    ],
    { ports: faulty.ports },
  );
  faulty.connector.server("s").tools = [{ name: "echo", inputSchema: { type: "object" } }];
  const events = await run("Say hi");
  expect(endOfRun(events)).toEqual({ reason: "done" });
  expect(outcomesOfRun(events)).toHaveLength(1);
  expect(model.requests).toHaveLength(2);
});
