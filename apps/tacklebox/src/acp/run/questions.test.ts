import type { ElicitationAnswer, ServerQuestion } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { createScriptedEngine } from "../../testing/scripted-engine.ts";
import type { Peer } from "../rpc/peer.ts";
import { createQuestionRelay } from "./questions.ts";

/** A client whose person gives the same answer to every question. */
function peerAnswering(answer: unknown, asked: object[] = []): Pick<Peer, "request"> {
  return {
    async request(_method, params, signal) {
      signal.throwIfAborted();
      asked.push(params);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

/** A client whose person never answers. */
function silentPeer(withdrawn: object[]): Pick<Peer, "request"> {
  return {
    request: (_method, params, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          withdrawn.push(params);
          reject(signal.reason);
        });
      }),
  };
}

const BOTH = { notices: false, forms: true, urls: true };
const ASKED = { callId: "call", scope: "agent", server: "s", expiresAt: Number.MAX_SAFE_INTEGER } as const;
const FORM: ServerQuestion = { ...ASKED, id: "form", kind: "form", message: "Who?", schema: {} };
const URL_QUESTION: ServerQuestion = {
  ...ASKED,
  id: "url",
  kind: "url",
  message: "Sign in",
  url: "https://example.com/",
};

function setUp(peer: Pick<Peer, "request">, abilities = BOTH) {
  const answers: (readonly [string, ElicitationAnswer])[] = [];
  const { engine } = createScriptedEngine({
    questions: { answer: async (id, answer) => answers.push([id, answer]) > 0 },
  });
  return { questions: createQuestionRelay({ engine, peer, abilities, sessionId: "session" }), answers };
}

describe("a server's question", () => {
  it("names the server, the session and the call it belongs to", async () => {
    const asked: object[] = [];
    const { questions, answers } = setUp(peerAnswering({ action: "accept", content: { name: "Ada" } }, asked));
    await questions.ask(FORM);
    await questions.ask(URL_QUESTION);
    const call = { sessionId: "session", toolCallId: "call" };
    expect(asked).toEqual([
      { ...call, mode: "form", message: "s: Who?", requestedSchema: { type: "object", properties: {} } },
      { ...call, mode: "url", message: "s: Sign in", url: "https://example.com/", elicitationId: expect.any(String) },
    ]);
    expect(answers[0]).toEqual(["form", { kind: "accept", content: { name: "Ada" } }]);
  });

  it.each([
    [{ action: "accept" }, { kind: "accept", content: {} }],
    [{ action: "decline" }, { kind: "decline" }],
    [{ action: "cancel" }, { kind: "cancel" }],
    [{ action: "shrug" }, { kind: "cancel" }],
    [null, { kind: "cancel" }],
    [new Error("no such method"), { kind: "cancel" }],
  ])("is answered by %j with %j", async (response, answer) => {
    const { questions, answers } = setUp(peerAnswering(response));
    await questions.ask(FORM);
    expect(answers).toEqual([["form", answer]]);
  });

  it.each([
    [FORM, { ...BOTH, forms: false }],
    [URL_QUESTION, { ...BOTH, urls: false }],
  ])("is declined at once where the editor cannot show it: $kind", async (question, abilities) => {
    const asked: object[] = [];
    const { questions, answers } = setUp(peerAnswering({ action: "accept" }, asked), abilities);
    await questions.ask(question);
    expect([asked, answers]).toEqual([[], [[question.id, { kind: "decline" }]]]);
  });

  it("can be withdrawn alone or with all others, and is not answered then", async () => {
    const withdrawn: object[] = [];
    const { questions, answers } = setUp(silentPeer(withdrawn));
    const asked = [questions.ask(FORM), questions.ask(URL_QUESTION)];
    questions.withdraw("unknown");
    expect(withdrawn).toEqual([]);
    questions.withdraw(FORM.id);
    expect(withdrawn).toMatchObject([{ mode: "form" }]);
    questions.withdrawAll();
    await Promise.all(asked);
    expect(withdrawn).toMatchObject([{ mode: "form" }, { mode: "url" }]);
    expect(answers).toEqual([]);
  });
});
