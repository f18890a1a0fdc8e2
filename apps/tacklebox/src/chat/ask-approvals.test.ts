import type { ApprovalAnswer, ApprovalRequest } from "@tacklebox/core";
import { waitUntil } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { plain } from "../output/colour.ts";
import { createMemorySink } from "../testing/memory-io.ts";
import { createApprovalPrompter } from "./ask-approvals.ts";
import { createQuestionLine } from "./question-line.ts";
import { createPlainScreen } from "./screen.ts";
import { createScriptedPerson } from "./testing/scripted-person.ts";

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

/** Somebody who answers as `createScriptedPerson` says. */
function setUp(...answers: readonly string[]) {
  const sink = createMemorySink();
  const screen = createPlainScreen(sink, () => 80, plain);
  const given: [string, ApprovalAnswer][] = [];
  const waiting = [request, { ...request, callId: "call-2" }];
  let cancels = 0;
  const { person, asked } = createScriptedPerson(answers);
  const desk = createApprovalPrompter({
    engine: {
      approvals: {
        answer: async (id, answer) => {
          given.push([id, answer]);
          // As the engine does: an answer that lasts settles what else waits about the tool.
          if ("lasting" in answer && answer.lasting !== "once") waiting.splice(0);
          return true;
        },
        list: async () => waiting,
      },
    },
    person,
    screen,
    line: createQuestionLine(new AbortController().signal),
    edited: () => undefined,
    cancelRun: () => {
      cancels += 1;
    },
  });
  return { desk, given, asked, shown: () => sink.text(), cancels: () => cancels };
}

describe("asking about a call", () => {
  it("shows the exact arguments, spelt so that no terminal obeys them", async () => {
    const { desk, shown, given } = setUp("y");
    desk.ask(request, 3);
    await waitUntil(() => given.length === 1);
    expect(shown()).toBe(
      [
        "? 3 write · files wants to run with",
        "  {",
        '    "path": "a.txt",',
        '    "text": "\\u001b[2Jx"',
        "  }",
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
  ])("passes on: %s", async (_, answers, answer) => {
    const { desk, given } = setUp(...answers);
    desk.ask(request, 1);
    await waitUntil(() => given.length === 1);
    expect(given).toEqual([["call-1", answer]]);
  });

  it("offers only answers that would hold", async () => {
    const { desk, asked } = setUp("n");
    desk.ask({ ...request, lasting: ["once"] }, 1);
    await waitUntil(() => asked.length === 1);
    expect(asked).toEqual(["yenr"]);
  });

  it("edits what is there, and goes on with what was typed after a mistake", async () => {
    const { desk, asked, given, shown } = setUp("e", '"{"path":', '"{"path":1}');
    desk.ask({ ...request, arguments: { path: "a" } }, 1);
    await waitUntil(() => given.length === 1);
    expect(asked.slice(1)).toEqual(['Arguments: {"path":"a"}', 'Arguments: {"path":']);
    expect(shown()).toContain("That is not JSON");
  });

  it("cancels the run on Ctrl-C instead of answering, and asks no more", async () => {
    const { desk, cancels, given, asked } = setUp("^");
    desk.ask(request, 1);
    desk.ask({ ...request, callId: "call-2" }, 2);
    await waitUntil(() => cancels() === 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect([given, asked.length]).toEqual([[], 1]);
  });

  it("asks one after the other, and no more about what was answered elsewhere", async () => {
    const { desk, asked, given } = setUp();
    desk.ask(request, 1);
    desk.ask({ ...request, callId: "call-2" }, 2);
    await waitUntil(() => asked.length === 1);
    desk.answered("call-1");
    await waitUntil(() => asked.length === 2);
    desk.answered("call-2");
    expect(given).toEqual([]);
  });

  it("asks nothing that the last answer has settled, not even for a moment", async () => {
    const { desk, given, asked, shown } = setUp("a");
    desk.ask(request, 1);
    desk.ask({ ...request, callId: "call-2" }, 2);
    await waitUntil(() => given.length === 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect([given.length, asked.length]).toEqual([1, 1]);
    expect(shown()).not.toContain("? 2 write");
  });

  it("shows how a tool differs from the one that was agreed to", async () => {
    const { desk, shown, given } = setUp("n");
    desk.ask({ ...request, changedFrom: { name: "write", description: "Writes a note." } }, 1);
    await waitUntil(() => given.length === 1);
    expect(shown()).toContain('  -   "description": "Writes a note.",\n  +   "description": "Writes.",\n');
  });
});
