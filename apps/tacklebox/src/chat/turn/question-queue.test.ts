import { expect, it } from "vitest";
import { createQuestionQueue } from "./question-queue.ts";

const never = new AbortController().signal;

function untilAborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve("withdrawn")));
}

it("asks one question after the other, in order, however each of them ends", async () => {
  const queue = createQuestionQueue(never);
  const steps: string[] = [];
  const ask = (name: string) => async () => {
    steps.push(`${name} asked`);
    await new Promise((resolve) => setImmediate(resolve));
    steps.push(`${name} answered`);
    if (name === "a") throw new Error("a broke");
    return name;
  };
  const asked = ["a", "b", "c"].map((name) => queue.add(ask(name), never));
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(steps).toEqual(["a asked", "a answered", "b asked", "b answered", "c asked", "c answered"]);
});

it("a question withdrawn before its turn ends at once, and the one after it still waits", async () => {
  const queue = createQuestionQueue(never);
  const [first, second] = [new AbortController(), new AbortController()];
  const asked = queue.add(untilAborted, first.signal);
  const withdrawn = queue.add(async (signal) => signal.aborted, second.signal);
  const steps: string[] = [];
  const last = queue.add(async () => steps.push("asked"), never);
  second.abort();
  expect(await withdrawn).toBe(true);
  expect(steps).toEqual([]);
  first.abort();
  expect(await asked).toBe("withdrawn");
  expect(await last).toBe(1);
});

it("the end of the run withdraws every question", async () => {
  const run = new AbortController();
  const queue = createQuestionQueue(run.signal);
  const asked = queue.add(untilAborted, never);
  const next = queue.add(async (signal) => signal.aborted, never);
  await new Promise((resolve) => setImmediate(resolve));
  run.abort();
  expect(await Promise.all([asked, next])).toEqual(["withdrawn", true]);
});
