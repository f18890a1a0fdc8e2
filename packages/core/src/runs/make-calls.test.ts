import { expect, it } from "vitest";
import type { RunEvent } from "../domain/run.ts";
import { createRecordingLogger } from "../testing/index.ts";
import { type MakeCallsDeps, makeCalls } from "./make-calls.ts";

const STARTED_AT = "2026-01-01T00:00:00.000Z";
const call = (tool: string) => ({ type: "call", id: tool, callId: tool, tool, arguments: {} }) as const;

function createDeps(over: string[], logger = createRecordingLogger()): MakeCallsDeps {
  return {
    logger,
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
}

it("a call that throws is answered like one that failed, and the others go on", async () => {
  const over: string[] = [];
  const logger = createRecordingLogger();
  const events: string[] = [];
  const work = makeCalls([call("broken"), call("slow")], createDeps(over, logger));
  let step = await work.next();
  for (; step.done !== true; step = await work.next()) events.push(step.value.type);
  expect(over).toEqual(["slow"]);
  expect(events).toEqual(["call-changed", "call-changed", "call-result", "call-progressed", "call-result"]);
  expect(step.value).toMatchObject([
    { id: "broken", isError: true, text: expect.stringContaining("an internal error; it may have run") },
    { id: "slow", isError: false },
  ]);
  expect(logger.texts("error")).toEqual(["A call of a run failed because of a bug in Tacklebox"]);
});

it("a call that throws before anybody was told of it has a beginning and an end", async () => {
  const throwing = async () => {
    throw new Error("a bug");
  };
  const events: RunEvent[] = [];
  for await (const event of makeCalls([call("broken")], { ...createDeps([]), answerBuiltIn: throwing }))
    events.push(event);
  expect(events).toMatchObject([
    { type: "call-changed", call: { id: "broken", shownName: "broken", status: "pending", startedAt: STARTED_AT } },
    { type: "call-result", callId: "broken", outcome: { failure: { ending: "interrupted" } } },
  ]);
});

it("F10 images that are too large, alone or together, are left out, and the model is told", async () => {
  const mebibyte = 1024 * 1024;
  const sizes: Record<string, readonly number[]> = { one: [5, 3], two: [4, 1], three: [2] };
  const image = (size: number) => ({ type: "image", data: "x".repeat(size * mebibyte), mimeType: "image/png" });
  const deps: MakeCallsDeps = {
    ...createDeps([]),
    vision: true,
    async makeCall(id, { tool }) {
      const content = (sizes[tool] ?? []).map(image);
      return { callId: id, shownName: tool, durationMs: 1, status: "success", result: { content, isError: false } };
    },
  };
  const work = makeCalls(Object.keys(sizes).map(call), deps);
  let step = await work.next();
  while (step.done !== true) step = await work.next();
  const limits = "left out: an image may have 3 MiB, and all images of one turn 6 MiB]\n";
  const seen = step.value.map(({ images = [], text }) => [
    images.map(({ data }) => data.length / mebibyte),
    text.includes(limits),
  ]);
  expect(seen).toEqual([
    [[3], true],
    [[4, 1], false],
    [[], true],
  ]);
});
