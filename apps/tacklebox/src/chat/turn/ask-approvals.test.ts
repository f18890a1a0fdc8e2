import type { ApprovalAnswer, ApprovalRequest } from "@tacklebox/core";
import { waitUntil } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { plain } from "../../output/colour.ts";
import { createMemorySink } from "../../testing/memory-io.ts";
import { createPlainScreen } from "../terminal/screen.ts";
import { createScriptedPerson } from "../testing/scripted-person.ts";
import { createApprovalPrompter } from "./ask-approvals.ts";
import { createQuestionQueue } from "./question-queue.ts";

const request: ApprovalRequest = {
  callId: "call-1",
  tool: { scope: "agent", server: "files", name: "write" },
  shownName: "write",
  arguments: { path: "a.txt", text: "\u001b[2Jx" },
  argumentsDigest: "digest",
  fingerprint: "print",
  reason: "The approval mode is always-ask",
  definition: { name: "write", description: "Writes." },
  lasting: ["once", "session", "always"],
  expiresAt: 0,
};
const allow = { kind: "allow", argumentsDigest: "digest", fingerprint: "print" } as const;

/** Creates a prompter with a scripted person. */
function setUp(...answers: readonly string[]) {
  const sink = createMemorySink();
  const screen = createPlainScreen(sink, () => 80, plain);
  const given: [string, ApprovalAnswer][] = [];
  const waiting = [request, { ...request, callId: "call-2" }];
  let cancels = 0;
  const { person, asked } = createScriptedPerson(answers);
  const prompter = createApprovalPrompter({
    engine: {
      approvals: {
        answer: async (id, answer) => {
          given.push([id, answer]);
          // Like the engine: a lasting answer also settles other waiting calls of the tool.
          if ("lasting" in answer && answer.lasting !== "once") waiting.splice(0);
          return true;
        },
        list: async () => waiting,
      },
    },
    person,
    screen,
    queue: createQuestionQueue(new AbortController().signal),
    edited: () => undefined,
    cancelRun: () => {
      cancels += 1;
    },
  });
  return { prompter, given, asked, shown: () => sink.text(), cancels: () => cancels };
}

describe("asking about a call", () => {
  it("shows the exact arguments, escaped so that no terminal interprets them", async () => {
    const { prompter, shown, given } = setUp("y");
    prompter.ask(request, 3);
    await waitUntil(() => given.length === 1);
    expect(shown()).toBe(
      [
        "? 3 write · files wants to run with",
        "  {",
        '    "path": "a.txt",',
        '    "text": "\\u001b[2Jx"',
        "  }",
        "  The server does not say whether it writes.",
        "  The approval mode is always-ask",
        "  You said: once",
        "",
      ].join("\n"),
    );
  });

  it.each<[string, readonly string[], ApprovalAnswer]>([
    ["once", ["y"], { ...allow, lasting: "once" }],
    ["for the session", ["s"], { ...allow, lasting: "session" }],
    ["always", ["a"], { ...allow, lasting: "always" }],
    ["no", ["n"], { kind: "deny" }],
    ["no, with a reason for the model", ["r", '"wrong file'], { kind: "deny", reason: "wrong file" }],
    ["with other arguments", ["e", '"{"path":"b.txt"}'], { ...allow, editedArguments: { path: "b.txt" } }],
    ["with other arguments once they are JSON", ["e", '"{', '"[]', '"{}'], { ...allow, editedArguments: {} }],
    ["after a change of mind", ["e", "^", "r", "^", "y"], { ...allow, lasting: "once" }],
  ])("passes the answer on: %s", async (_, answers, answer) => {
    const { prompter, given } = setUp(...answers);
    prompter.ask(request, 1);
    await waitUntil(() => given.length === 1);
    expect(given).toEqual([["call-1", answer]]);
  });

  it("offers only answers that policy allows", async () => {
    const { prompter, asked } = setUp("n");
    prompter.ask({ ...request, lasting: ["once"] }, 1);
    await waitUntil(() => asked.length === 1);
    expect(asked).toEqual(["yenr"]);
  });

  it("edits the given arguments, and after a mistake continues with what was typed", async () => {
    const { prompter, asked, given, shown } = setUp("e", '"{"path":', '"{"path":1}');
    prompter.ask({ ...request, arguments: { path: "a" } }, 1);
    await waitUntil(() => given.length === 1);
    expect(asked.slice(1)).toEqual(['Arguments: {"path":"a"}', 'Arguments: {"path":']);
    expect(shown()).toContain("That is not JSON");
  });

  it("cancels the run on Ctrl-C instead of answering, and asks nothing else", async () => {
    const { prompter, cancels, given, asked } = setUp("^");
    prompter.ask(request, 1);
    prompter.ask({ ...request, callId: "call-2" }, 2);
    await waitUntil(() => cancels() === 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect([given, asked.length]).toEqual([[], 1]);
  });

  it("asks about one call at a time, and skips those that were answered elsewhere", async () => {
    const { prompter, asked, given } = setUp();
    prompter.ask(request, 1);
    prompter.ask({ ...request, callId: "call-2" }, 2);
    await waitUntil(() => asked.length === 1);
    prompter.answered("call-1");
    await waitUntil(() => asked.length === 2);
    prompter.answered("call-2");
    expect(given).toEqual([]);
  });

  it("never shows a question that the last answer has settled", async () => {
    const { prompter, given, asked, shown } = setUp("a");
    prompter.ask(request, 1);
    prompter.ask({ ...request, callId: "call-2" }, 2);
    await waitUntil(() => given.length === 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect([given.length, asked.length]).toEqual([1, 1]);
    expect(shown()).not.toContain("? 2 write");
  });

  it("shows how a tool differs from the one that was allowed", async () => {
    const { prompter, shown, given } = setUp("n");
    prompter.ask({ ...request, changedFrom: { name: "write", description: "Writes a note." } }, 1);
    await waitUntil(() => given.length === 1);
    expect(shown()).toContain('  -   "description": "Writes a note.",\n  +   "description": "Writes.",\n');
  });
});
