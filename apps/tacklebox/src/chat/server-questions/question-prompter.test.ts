import type { CallOutcome, ElicitationAnswer, QuestionEnd, RunEvent, ServerQuestion } from "@tacklebox/core";
import { waitUntil } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { plain } from "../../output/colour.ts";
import { APPROVAL_REQUEST } from "../../testing/approval-request.ts";
import { createMemorySink } from "../../testing/memory-io.ts";
import { createPlainScreen } from "../terminal/screen.ts";
import { createScriptedPerson } from "../testing/scripted-person.ts";
import { createApprovalPrompter } from "../turn/ask-approvals.ts";
import { createQuestionQueue } from "../turn/question-queue.ts";
import { createQuestionPrompter } from "./question-prompter.ts";

const ASKED = { id: "q1", callId: "1", scope: "agent", server: "s", expiresAt: 0 } as const;
const FORM = {
  ...ASKED,
  kind: "form",
  message: "Who?",
  schema: { properties: { name: { type: "string" }, age: { type: "integer", default: 36 } }, required: ["name"] },
} as const satisfies ServerQuestion;
const ADDRESS: ServerQuestion = { ...ASKED, id: "q2", kind: "url", message: "", url: "https://example.com:8443/?a=b" };
const ANSWERED = { kind: "accept", content: { name: "Ada", age: 36 } };
const OVER = "Server s no longer needs an answer.";

const turn = () => new Promise((resolve) => setImmediate(resolve));

function ended(questionId: string, answer: QuestionEnd): RunEvent {
  return { type: "question-answered", questionId, callId: "1", answer };
}

/** A scripted person, and an engine that accepts the first answer to each question. */
function setUp(...answers: readonly string[]) {
  const sink = createMemorySink();
  const screen = createPlainScreen(sink, () => 60, plain);
  const { person, asked } = createScriptedPerson(answers);
  const run = new AbortController();
  const queue = createQuestionQueue(run.signal);
  const cancelRun = () => run.abort();
  const waiting = new Set<string>();
  const given: [string, ElicitationAnswer][] = [];
  const engine = {
    questions: {
      list: async () => [],
      async answer(id: string, answer: ElicitationAnswer) {
        given.push([id, answer]);
        if (!waiting.delete(id)) return false;
        prompter.show(ended(id, answer.kind));
        return true;
      },
    },
    approvals: { list: async () => [APPROVAL_REQUEST], answer: async () => true },
  };
  const prompter = createQuestionPrompter({ engine, person, screen, queue, cancelRun });
  const approvals = createApprovalPrompter({ engine, person, screen, queue, cancelRun, edited: () => undefined });

  function ask(question: ServerQuestion): void {
    waiting.add(question.id);
    prompter.show({ type: "question-asked", question });
  }

  return {
    ...{ prompter, approvals, asked, run, given, waiting, ask },
    shown: () => sink.text(),
    /** The answer that the engine gets to the question. */
    async answerTo(question: ServerQuestion): Promise<ElicitationAnswer | undefined> {
      ask(question);
      await waitUntil(() => given.length > 0);
      await turn();
      expect(given.map(([id]) => id)).toEqual([question.id]);
      return given[0]?.[1];
    },
  };
}

describe("a server's question to the person at a chat", () => {
  it("returns what the person filled in", async () => {
    const { answerTo } = setUp("a", '"Ada', "s");
    const schema = { type: "object", properties: { name: { type: "string" } } };
    expect(await answerTo({ ...FORM, schema })).toEqual({ kind: "accept", content: { name: "Ada" } });
  });

  it("shows who asks, whose words they are and where the answer goes", async () => {
    const { answerTo, shown } = setUp("a", '"Ada', '"', "s");
    expect(await answerTo(FORM)).toEqual(ANSWERED);
    expect(shown().split("\n")).toEqual([
      "? Server s asks you something, in its own words:",
      "│ Who?",
      "  2 fields. What you answer goes to s.",
      "  1 of 2: text",
      "│ name",
      "  You said: Ada",
      "  2 of 2, optional: a whole number",
      "│ age",
      "  You said: 36",
      "  Your answer goes to server s.",
      "",
    ]);
  });

  it.each<[string, readonly string[], object]>([
    ["declined at once", ["d"], { kind: "decline" }],
    ["cancelled at once", ["c"], { kind: "cancel" }],
    ["declined in the middle", ["a", '"Ada', '"/decline'], { kind: "decline" }],
    ["cancelled in the middle", ["a", '"/cancel'], { kind: "cancel" }],
    ["declined before it is sent", ["a", '"Ada', '"', "d"], { kind: "decline" }],
    ["asked again after a mistake", ["a", '"', '"Ada', '"old', '"', "s"], ANSWERED],
    ["gone over again, from what they said", ["a", '"Ada', '"7', "e", '"', '"36', "s"], ANSWERED],
    [
      "answered with less when they take back what they said",
      ["a", '"Ada', '"', "e", '"', '"/skip', "s"],
      { kind: "accept", content: { name: "Ada" } },
    ],
  ])("may be %s", async (_, answers, answer) => {
    expect(await setUp(...answers).answerTo(FORM)).toEqual(answer);
  });

  it("takes one key to agree to a form without fields", async () => {
    const { answerTo, asked } = setUp("a");
    expect(await answerTo({ ...FORM, schema: {} })).toEqual({ kind: "accept", content: {} });
    expect(asked).toEqual(["adc"]);
  });

  it("takes one key to accept an address, and shows its host", async () => {
    const { answerTo, shown } = setUp("a");
    expect(await answerTo(ADDRESS)).toEqual({ kind: "accept", content: {} });
    expect(shown()).toContain(
      "? Server s asks you to open an address.\nhttps://example.com:8443/?a=b\n  Host: example.com:8443.",
    );
  });

  it("marks every row of the server's text", async () => {
    const { answerTo, shown } = setUp("d");
    await answerTo({ ...FORM, message: `[redacted]\n${" ".repeat(90)}? s wants\n\n\u001b[2J` });
    expect(shown()).toContain("│ [redacted]\n│ ? s wants\n│ \n│ \\x1b[2J\n");
  });
});

describe("the end of a server's question", () => {
  it.each<[string, QuestionEnd]>([
    ["is withdrawn with its call", "withdrawn"],
    ["is answered elsewhere", "accept"],
    ["is out of time", "expired"],
  ])("is shown when it %s, and nothing is answered", async (_, end) => {
    const { prompter, ask, asked, given, shown } = setUp("a");
    ask(FORM);
    await waitUntil(() => asked.length === 2);
    prompter.show(ended(FORM.id, end));
    await waitUntil(() => shown().includes(OVER));
    await turn();
    expect([given, asked.length]).toEqual([[], 2]);
  });

  it("comes from the engine, not from the end of its call or of another question", async () => {
    const { prompter, ask, asked, given, shown } = setUp("a");
    ask(FORM);
    await waitUntil(() => asked.length === 2);
    const outcome = { callId: "1", shownName: "t", durationMs: 1, status: "error" } as CallOutcome;
    prompter.show({ type: "call-result", callId: "1", outcome, text: "" });
    prompter.show(ended("other", "withdrawn"));
    await turn();
    expect([given, shown().includes(OVER)]).toEqual([[], false]);
  });

  it("before its turn means that it is never shown", async () => {
    const { prompter, ask, asked, given, shown } = setUp();
    ask(FORM);
    prompter.show(ended(FORM.id, "withdrawn"));
    await turn();
    expect([asked, given, shown()]).toEqual([[], [], ""]);
  });

  it("is also shown when another door answered a moment earlier", async () => {
    const { ask, waiting, given, shown } = setUp("d");
    ask(FORM);
    waiting.clear();
    await waitUntil(() => given.length === 1);
    await turn();
    expect(shown()).toContain(`  You declined.\n  ${OVER}\n`);
  });

  it("comes at once when the question cannot be shown", async () => {
    const { ask, given, asked } = setUp();
    ask({ ...ADDRESS, url: "no address" });
    ask(FORM);
    await waitUntil(() => asked.length === 1);
    expect(given).toEqual([[ADDRESS.id, { kind: "cancel" }]]);
  });
});

describe("several questions", () => {
  it("of a server wait while the person is asked about a call, and vice versa", async () => {
    const { prompter, approvals, ask, asked } = setUp();
    approvals.ask(APPROVAL_REQUEST, 1);
    ask(FORM);
    await waitUntil(() => asked.length === 1);
    approvals.answered(APPROVAL_REQUEST.callId);
    await waitUntil(() => asked.length === 2);
    approvals.ask(APPROVAL_REQUEST, 2);
    await turn();
    expect(asked).toEqual(["ysaenr", "adc"]);
    prompter.show(ended(FORM.id, "withdrawn"));
    await waitUntil(() => asked.length === 3);
    expect(asked).toEqual(["ysaenr", "adc", "ysaenr"]);
  });

  it.each([["^"], ["a", "^"]])("end with the run when one of them is answered with Ctrl-C (%s %s)", async (...keys) => {
    const { approvals, ask, asked, run, given } = setUp(...keys);
    ask(FORM);
    ask(ADDRESS);
    approvals.ask(APPROVAL_REQUEST, 1);
    await waitUntil(() => given.length === 2);
    await turn();
    expect(Object.fromEntries(given)).toEqual({ [FORM.id]: { kind: "cancel" }, [ADDRESS.id]: { kind: "cancel" } });
    expect([run.signal.aborted, asked.length]).toEqual([true, keys.length]);
  });
});
