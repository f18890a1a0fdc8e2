import { expect, it } from "vitest";
import type { ElicitationAnswer } from "../../domain/question.ts";
import { startTestRuns, waitUntil } from "../../testing/index.ts";
import { createManualClock } from "../../testing/manual-clock.ts";
import { createQuestionTime } from "./question-time.ts";

const QUESTION = { kind: "form", server: "s", message: "Who?", schema: {} } as const;
const never = new AbortController().signal;

it("time counts while at least one question is open", async () => {
  const clock = createManualClock();
  const { counted, openMs } = createQuestionTime(clock);
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

it("a question that was withdrawn rejects and no longer counts", async () => {
  const clock = createManualClock();
  const { counted, openMs } = createQuestionTime(clock);
  const ask = counted(
    (_request, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("withdrawn")))),
  );
  const withdrawn = new AbortController();
  const asked = ask(QUESTION, withdrawn.signal);
  clock.advance(1_000);
  withdrawn.abort();
  await expect(asked).rejects.toThrow("withdrawn");
  clock.advance(1_000);
  expect(openMs()).toBe(1_000);
});

it("D.11 a call does not run out of time while its server waits for the person, and does afterwards", async () => {
  const { engine, connector, clock } = await startTestRuns([], { ports: { answersQuestions: true } });
  connector.server("s").answer = () => new Promise(() => undefined);
  const outcome = engine.calls.make({ tool: "echo", arguments: { message: "x" } }, { attended: true });
  await waitUntil(() => connector.calls.length === 1);
  clock.advance(20_000);
  const asked = connector.options("s").elicit?.(QUESTION, never);
  const [question] = await engine.questions.list();
  clock.advance(100_000);
  expect(await engine.questions.answer(question?.id ?? "", { kind: "decline" })).toBe(true);
  expect(await asked).toEqual({ kind: "decline" });
  clock.advance(9_999);
  const ended = await Promise.race([outcome, Promise.resolve("not yet")]);
  expect(ended).toBe("not yet");
  clock.advance(1);
  expect(await outcome).toMatchObject({ status: "error", failure: { ending: "timed-out" } });
});
