import { expect, it } from "vitest";
import { type MakeCallsDeps, makeCalls } from "./make-calls.ts";

const STARTED_AT = "2026-01-01T00:00:00.000Z";
const call = (tool: string) => ({ type: "call", id: tool, callId: tool, tool, arguments: {} }) as const;

it("a call that throws is reported when the others are over, after all their events", async () => {
  const over: string[] = [];
  const ports: MakeCallsDeps = {
    reading: { readerName: "read_result", mostCharacters: 100 },
    vision: false,
    now: () => STARTED_AT,
    answerBuiltIn: async () => undefined,
    toRequest: ({ tool, arguments: given }) => ({ tool, arguments: given }),
    async makeCall(id, { tool, arguments: given }, onEvent) {
      const pending = { id, scope: "agent", server: "s", toolName: tool, shownName: tool, arguments: given } as const;
      onEvent({ type: "call-changed", call: { ...pending, status: "pending", startedAt: STARTED_AT } });
      if (tool === "broken") throw new Error("a bug");
      await new Promise((resolve) => setImmediate(resolve));
      onEvent({ type: "call-progressed", callId: id, progress: { progress: 1 } });
      over.push(id);
      return { callId: id, shownName: tool, durationMs: 1, status: "success", result: { content: [], isError: false } };
    },
  };
  const events: string[] = [];
  const work = async () => {
    for await (const { type } of makeCalls([call("broken"), call("slow")], ports)) events.push(type);
  };
  await expect(work()).rejects.toThrow("a bug");
  expect(over).toEqual(["slow"]);
  expect(events).toEqual(["call-changed", "call-changed", "call-progressed", "call-result"]);
});
