import { expect, it } from "vitest";
import { createQuestionLine } from "./question-line.ts";

const never = new AbortController().signal;

function untilAborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve("withdrawn")));
}

it("asks one after the other, in the order in which they came, whatever becomes of each", async () => {
  const line = createQuestionLine(never);
  const steps: string[] = [];
  const ask = (name: string) => async () => {
    steps.push(`${name} asked`);
    await new Promise((resolve) => setImmediate(resolve));
    steps.push(`${name} answered`);
    if (name === "a") throw new Error("a broke");
    return name;
  };
  const asked = ["a", "b", "c"].map((name) => line.add(ask(name), never));
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(steps).toEqual(["a asked", "a answered", "b asked", "b answered", "c asked", "c answered"]);
});

it("what is withdrawn before its turn is over at once, and whoever is behind it still waits", async () => {
  const line = createQuestionLine(never);
  const [first, second] = [new AbortController(), new AbortController()];
  const asked = line.add(untilAborted, first.signal);
  const withdrawn = line.add(async (signal) => signal.aborted, second.signal);
  const steps: string[] = [];
  const last = line.add(async () => steps.push("asked"), never);
  second.abort();
  expect(await withdrawn).toBe(true);
  expect(steps).toEqual([]);
  first.abort();
  expect(await asked).toBe("withdrawn");
  expect(await last).toBe(1);
});

it("the end of the run withdraws everything that is asked", async () => {
  const run = new AbortController();
  const line = createQuestionLine(run.signal);
  const asked = line.add(untilAborted, never);
  const behind = line.add(async (signal) => signal.aborted, never);
  await new Promise((resolve) => setImmediate(resolve));
  run.abort();
  expect(await Promise.all([asked, behind])).toEqual(["withdrawn", true]);
});
