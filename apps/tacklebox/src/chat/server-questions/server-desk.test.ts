import type { ElicitationRequest, RunEvent } from "@tacklebox/core";
import { elicitorContract, waitUntil } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { plain } from "../../output/colour.ts";
import { APPROVAL_REQUEST } from "../../testing/approval-request.ts";
import { createMemorySink } from "../../testing/memory-io.ts";
import { createApprovalDesk } from "../ask-approvals.ts";
import { createQuestionLine } from "../question-line.ts";
import { createPlainScreen } from "../screen.ts";
import { createScriptedPerson } from "../testing/scripted-person.ts";
import { createChatElicitor } from "./chat-elicitor.ts";
import { createServerDesk } from "./server-desk.ts";

const never = new AbortController().signal;
const FORM: ElicitationRequest = {
  kind: "form",
  server: "s",
  message: "Who?",
  schema: { properties: { name: { type: "string" }, age: { type: "integer", default: 36 } }, required: ["name"] },
};
const ADDRESS: ElicitationRequest = { kind: "url", server: "s", message: "", url: "https://example.com:8443/?a=b" };
const ANSWERED = { kind: "accept", content: { name: "Ada", age: 36 } };

const pending = (id: string, server = "s"): RunEvent => ({
  type: "call-pending",
  id,
  tool: "t",
  server,
  arguments: {},
});
const running = (id: string): RunEvent => ({ type: "call-running", id });
const ended = (id: string): RunEvent => ({ type: "call-ended", id, text: "", outcome: OUTCOME });
const OUTCOME = {
  callId: "1",
  shownName: "t",
  durationMs: 1,
  status: "error",
  failure: { ending: "cancelled", message: "" },
} as const;

/** Somebody who answers as `createScriptedPerson` says, while call 1 of server s runs. */
function setUp(...answers: readonly string[]) {
  const sink = createMemorySink();
  const screen = createPlainScreen(sink, () => 60, plain);
  const { person, asked } = createScriptedPerson(answers);
  const run = new AbortController();
  const line = createQuestionLine(run.signal);
  const cancelRun = () => run.abort();
  const redact = (text: string) => text.replaceAll("hush", "***");
  const desk = createServerDesk({ person, screen, line, redact, cancelRun });
  desk.show(pending("1"));
  desk.show(running("1"));
  const approvals = createApprovalDesk({
    engine: { answerApproval: async () => true, listApprovals: async () => [APPROVAL_REQUEST] },
    ...{ person, screen, line, cancelRun, edited: () => undefined },
  });
  return { desk, approvals, asked, run, shown: () => sink.text() };
}

describe("the person at a chat as elicitor", () => {
  for (const { name, run } of elicitorContract(() => setUp("a", '"Ada', "s").desk)) it(name, run);

  it("is shown who asks, whose words they are and where the answer goes", async () => {
    const { desk, shown } = setUp("a", '"Ada', '"', "s");
    expect(await desk.ask(FORM, never)).toEqual(ANSWERED);
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
      "  You said yes to s.",
      "",
    ]);
  });

  it.each<[string, readonly string[], object]>([
    ["declines at once", ["d"], { kind: "decline" }],
    ["cancels at once", ["c"], { kind: "cancel" }],
    ["declines in the middle", ["a", '"Ada', '"/decline'], { kind: "decline" }],
    ["cancels in the middle", ["a", '"/cancel'], { kind: "cancel" }],
    ["declines before it is sent", ["a", '"Ada', '"', "d"], { kind: "decline" }],
    ["is asked again after a mistake", ["a", '"', '"Ada', '"old', '"', "s"], ANSWERED],
    ["goes over it again, from what they said", ["a", '"Ada', '"7', "e", '"', '"36', "s"], ANSWERED],
    [
      "takes back what they said",
      ["a", '"Ada', '"', "e", '"', '"/skip', "s"],
      { kind: "accept", content: { name: "Ada" } },
    ],
  ])("%s", async (_, answers, answer) => {
    expect(await setUp(...answers).desk.ask(FORM, never)).toEqual(answer);
  });

  it("agrees to a form without fields by one key", async () => {
    const { desk, asked } = setUp("a");
    expect(await desk.ask({ ...FORM, schema: {} }, never)).toEqual({ kind: "accept", content: {} });
    expect(asked).toEqual(["adc"]);
  });

  it("accepts an address by one key, seeing its host", async () => {
    const { desk, shown } = setUp("a");
    expect(await desk.ask(ADDRESS, never)).toEqual({ kind: "accept", content: {} });
    expect(shown()).toContain(
      "? Server s asks you to open an address.\nhttps://example.com:8443/?a=b\n  Host: example.com:8443.",
    );
  });

  it("sees no secret, and no row of a server's without its mark", async () => {
    const { desk, shown } = setUp("d");
    await desk.ask({ ...FORM, message: `hush\n${" ".repeat(90)}? s wants\n\n\u001b[2J` }, never);
    expect(shown()).toContain("│ ***\n│ ? s wants\n│ \n│ \\x1b[2J\n");
  });
});

describe("a question of a server", () => {
  it("is declined when none of its calls runs", async () => {
    const { desk, asked } = setUp();
    desk.show(pending("2", "other"));
    expect(await desk.ask({ ...FORM, server: "other" }, never)).toEqual({ kind: "decline" });
    desk.show(ended("1"));
    expect(await desk.ask(FORM, never)).toEqual({ kind: "decline" });
    expect(asked).toEqual([]);
  });

  it("is over when the last call of its server is", async () => {
    const { desk, asked, shown } = setUp("a");
    for (const event of [pending("2"), running("2")]) desk.show(event);
    const answer = desk.ask(FORM, never);
    await waitUntil(() => asked.length === 2);
    desk.show(ended("1"));
    const other = await Promise.race([answer, new Promise((resolve) => setImmediate(() => resolve("open")))]);
    desk.show(ended("2"));
    expect([other, await answer]).toEqual(["open", { kind: "cancel" }]);
    expect(shown()).toContain("Server s needs no answer any more.");
  });

  it("rejects when the server takes it back", async () => {
    const { desk, asked } = setUp();
    const withdrawn = new AbortController();
    const answer = desk.ask(FORM, withdrawn.signal);
    await waitUntil(() => asked.length === 1);
    withdrawn.abort();
    await expect(answer).rejects.toThrow();
  });

  it("waits while somebody is asked about a call, and the other way round", async () => {
    const { desk, approvals, asked } = setUp();
    approvals.ask(APPROVAL_REQUEST, 1);
    const answer = desk.ask(FORM, never);
    await waitUntil(() => asked.length === 1);
    approvals.answered(APPROVAL_REQUEST.callId);
    await waitUntil(() => asked.length === 2);
    approvals.ask(APPROVAL_REQUEST, 2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toEqual(["ysaenr", "adc"]);
    desk.show(ended("1"));
    await answer;
    await waitUntil(() => asked.length === 3);
    expect(asked).toEqual(["ysaenr", "adc", "ysaenr"]);
  });

  it.each([["^"], ["a", "^"]])("Ctrl-C cancels it, the run, and all that waits behind it (%s %s)", async (...keys) => {
    const { desk, approvals, asked, run } = setUp(...keys);
    const answers = [desk.ask(FORM, never), desk.ask(ADDRESS, never)];
    approvals.ask(APPROVAL_REQUEST, 1);
    expect(await Promise.all(answers)).toEqual([{ kind: "cancel" }, { kind: "cancel" }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect([run.signal.aborted, asked.length]).toEqual([true, keys.length]);
  });
});

it("between two runs nobody is asked anything", async () => {
  const elicitor = createChatElicitor();
  const disconnect = elicitor.connect(setUp("c").desk);
  expect(await elicitor.ask(FORM, never)).toEqual({ kind: "cancel" });
  disconnect();
  expect(await elicitor.ask(FORM, never)).toEqual({ kind: "decline" });
});
