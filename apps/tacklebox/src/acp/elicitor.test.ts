import { elicitorContract } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { createElicitor } from "./elicitor.ts";
import type { Peer } from "./peer.ts";

/** A client whose person answers this to every question. */
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

const BOTH = { notices: false, forms: true, urls: true };
const never = new AbortController().signal;
const FORM = { kind: "form", server: "s", message: "Who?", schema: {} } as const;
const URL_REQUEST = { kind: "url", server: "s", message: "Sign in", url: "https://example.com/" } as const;

function elicitor(answer: unknown, { abilities = BOTH, asked = [] as object[], isCalling = true } = {}) {
  const created = createElicitor({
    peer: peerAnswering(answer, asked),
    abilities,
    findCall: () => (isCalling ? { sessionId: "session", toolCallId: "call" } : undefined),
  });
  if (created === undefined) throw new Error("this editor can show questions");
  return created;
}

describe("the editor as elicitor", () => {
  const accepting = { action: "accept", content: { name: "Ada" } };
  for (const { name, run } of elicitorContract(() => elicitor(accepting))) it(name, run);

  it("says who asks, in which session and call, and what for", async () => {
    const asked: object[] = [];
    await elicitor(accepting, { asked }).ask(FORM, never);
    expect(await elicitor({ action: "accept" }, { asked }).ask(URL_REQUEST, never)).toEqual({
      kind: "accept",
      content: {},
    });
    const call = { sessionId: "session", toolCallId: "call" };
    expect(asked).toEqual([
      { ...call, mode: "form", message: "s: Who?", requestedSchema: { type: "object", properties: {} } },
      { ...call, mode: "url", message: "s: Sign in", url: "https://example.com/", elicitationId: expect.any(String) },
    ]);
  });

  it.each([
    [{ action: "decline" }, "decline"],
    [{ action: "cancel" }, "cancel"],
    [{ action: "shrug" }, "cancel"],
    [null, "cancel"],
    [new Error("no such method"), "cancel"],
  ])("takes %j for %s", async (answer, kind) => {
    expect(await elicitor(answer).ask(FORM, never)).toEqual({ kind });
  });

  it("declines for a person who cannot be shown it, or whom nothing connects with it", async () => {
    const abilities = { ...BOTH, urls: false };
    expect(await elicitor(accepting, { abilities }).ask(URL_REQUEST, never)).toEqual({ kind: "decline" });
    expect(await elicitor(accepting, { isCalling: false }).ask(FORM, never)).toEqual({ kind: "decline" });
  });

  it("is not there where the editor can show nothing, so that servers are told so", () => {
    const abilities = { notices: true, forms: false, urls: false };
    expect(createElicitor({ peer: peerAnswering({}), abilities, findCall: () => undefined })).toBeUndefined();
  });
});
