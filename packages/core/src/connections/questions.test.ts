import { expect, it } from "vitest";
import type { ElicitationAnswer } from "../domain/elicitation.ts";
import { startTestRuns, waitUntil } from "../testing/index.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { createQuestions } from "./questions.ts";

const QUESTION = { kind: "form", server: "s", message: "Who?", schema: {} } as const;
const never = new AbortController().signal;

it("time counts while at least one question is open", async () => {
  const clock = createManualClock();
  const { counted, openMs } = createQuestions(clock);
  const answers: ((answer: ElicitationAnswer) => void)[] = [];
  const ask = counted(() => new Promise((resolve) => answers.push(resolve)));
  clock.advance(1_000);
  const first = ask(QUESTION, never);
  clock.advance(1_000);
  const second = ask(QUESTION, never);
  clock.advance(1_000);
  answers[0]?.({ kind: "decline" });
  expect(await first).toEqual({ kind: "decline" });
  clock.advance(1_000);
  answers[1]?.({ kind: "cancel" });
  await second;
  clock.advance(9_000);
  expect([openMs(), clock.pending()]).toEqual([3_000, 0]);
});

it("a question that nobody answers for ten minutes is cancelled; one that was withdrawn rejects", async () => {
  const clock = createManualClock();
  const { counted } = createQuestions(clock);
  const ask = counted(
    (_request, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("withdrawn")))),
  );
  const waiting = ask(QUESTION, never);
  clock.advance(10 * 60_000);
  expect(await waiting).toEqual({ kind: "cancel" });
  const withdrawn = new AbortController();
  const other = ask(QUESTION, withdrawn.signal);
  withdrawn.abort();
  await expect(other).rejects.toThrow("withdrawn");
});

it("D.11 a call does not run out of time while its server waits for the person, and does afterwards", async () => {
  let answer: (answer: ElicitationAnswer) => void = () => undefined;
  const ask = () => new Promise<ElicitationAnswer>((resolve) => (answer = resolve));
  const { engine, connector, clock } = await startTestRuns([], { ports: { elicitor: { ask } } });
  connector.server("s").answer = () => new Promise(() => undefined);
  const outcome = engine.callTool({ tool: "echo", arguments: { message: "x" } });
  await waitUntil(() => connector.calls.length === 1);
  clock.advance(20_000);
  const asked = connector.options("s").elicit?.(QUESTION, never);
  clock.advance(100_000);
  answer({ kind: "decline" });
  await asked;
  clock.advance(9_999);
  const ended = await Promise.race([outcome, Promise.resolve("not yet")]);
  expect(ended).toBe("not yet");
  clock.advance(1);
  expect(await outcome).toMatchObject({ status: "error", failure: { ending: "timed-out" } });
});
