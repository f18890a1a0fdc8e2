import { expect, it } from "vitest";
import { EMPTY_TOOLBOX } from "../domain/tool.ts";
import { type CallsPorts, makeCalls } from "./make-calls.ts";

it("a call that breaks is told when the others are over, with everything they said", async () => {
  const over: string[] = [];
  const ports: CallsPorts = {
    toolbox: EMPTY_TOOLBOX,
    reading: { readerName: "read_result", mostCharacters: 100 },
    vision: false,
    answerOwn: async () => undefined,
    toRequest: (call) => call,
    async makeCall(id, { tool }, hear) {
      if (tool === "broken") throw new Error("a bug");
      await new Promise((resolve) => setImmediate(resolve));
      hear.progress({ progress: 1 });
      over.push(id);
      return { callId: id, shownName: tool, durationMs: 1, status: "success", result: { content: [], isError: false } };
    },
  };
  const call = (tool: string) => ({ type: "call", id: tool, callId: tool, tool, arguments: {} }) as const;
  const events: string[] = [];
  const work = async () => {
    for await (const { type } of makeCalls([call("broken"), call("slow")], ports)) events.push(type);
  };
  await expect(work()).rejects.toThrow("a bug");
  expect(over).toEqual(["slow"]);
  expect(events).toEqual(["call-pending", "call-pending", "call-progress", "call-ended"]);
});
