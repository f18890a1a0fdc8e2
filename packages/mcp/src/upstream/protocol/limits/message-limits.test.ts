import { ConnectionError, Stop, systemClock } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import type { HttpExchange, HttpReply } from "../../http/http-exchange.ts";
import { createSdkFetch } from "../../http/sdk-fetch.ts";
import { MessageGate } from "../pace/message-gate.ts";
import { createStreamWire } from "../stream-wire.ts";
import { boundedSdkMessage, boundedText, sdkText } from "./outgoing-limits.ts";
import { DeepMessage, parseMessage } from "./parse-message.ts";

const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

describe("what servers send", () => {
  it("is parsed up to 500 levels", () => {
    expect(parseMessage(deep(500))).toBeInstanceOf(Array);
    expect(parseMessage(deep(501))).toBeInstanceOf(DeepMessage);
  });

  it.each([
    [`{"jsonrpc":"2.0","result":${deep(600)},"id":"call-1"}`, { kind: "answer", id: "call-1" }],
    [`{"jsonrpc":"2.0","id":7,"method":"x","params":${deep(600)}}`, { kind: "question", id: 7 }],
    [`{"jsonrpc":"2.0","method":"x","params":${deep(600)}}`, { kind: "notification", id: undefined }],
  ])("says whom it concerns when it is deeper", (text, expected) => expect(parseMessage(text)).toMatchObject(expected));

  it("gets a note where a number was rounded, beside the server's own", () => {
    const text =
      '{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":[9007199254740993],"_meta":{"a":1}}}';
    expect(parseMessage(text)).toMatchObject({
      result: {
        _meta: {
          a: 1,
          "tacklebox/inexactNumbers":
            "The server sent numbers that could not be kept exactly: 9007199254740993 at /structuredContent/0",
        },
      },
    });
    const exact = '{"jsonrpc":"2.0","id":1,"result":{"structuredContent":[9007199254740992,1e22]}}';
    expect(parseMessage(exact)).toEqual(JSON.parse(exact));
  });
});

describe("what is sent to servers", () => {
  const tooDeep = () => JSON.stringify(JSON.parse(deep(600)));

  it("is neither too large nor too deep, and the caller knows that nothing was sent", () => {
    for (const problem of [boundedText(tooDeep), boundedText(() => `"${"x".repeat(17 * 1024 * 1024)}"`)]) {
      expect(problem).toBeInstanceOf(ConnectionError);
      expect(problem).toMatchObject({ code: "oversize", unsent: true });
    }
    const far = JSON.parse(deep(100_000));
    expect(boundedText(() => JSON.stringify(far))).toMatchObject({ code: "oversize", unsent: true });
  });

  it("is an error answer where the answer to a server's question would be over the limits", () => {
    const answer = { jsonrpc: "2.0", id: 3, result: { content: JSON.parse(deep(600)) } } as const;
    expect(JSON.parse(sdkText(answer))).toMatchObject({ id: 3, error: { code: -32603 } });
    expect(boundedSdkMessage(answer)).toMatchObject({ id: 3, error: { code: -32603 } });
    const request = { jsonrpc: "2.0", id: 3, method: "x", params: { far: JSON.parse(deep(600)) } } as const;
    expect(() => sdkText(request)).toThrow("nested more than 500 levels deep");
  });

  it("ends only its own request", async () => {
    const posted: string[] = [];
    const wire = createStreamWire({
      post: (text) => void posted.push(text),
      envelope: () => undefined,
      redact: (text) => text,
    });
    const send = (value: unknown) =>
      wire.send({ method: "prompts/get", params: { value: value as never }, signal: new Stop() });
    await expect(send(JSON.parse(deep(600))).answer).rejects.toMatchObject({ code: "oversize" });
    const other = send(1);
    wire.accept({ jsonrpc: "2.0", id: "call-2-0", result: { ok: true } });
    expect(await other.answer).toEqual({ ok: true });
    expect(posted).toHaveLength(1);
  });
});

describe("an answer with a result and an error", () => {
  it.each([
    [{ result: { content: [] }, error: { code: 1, message: "no" } }, "both a result and an error"],
    [{ result: 3 }, "neither a result nor an error"],
    [{ result: null, error: { code: 1, message: "no" } }, "MCP Error 1: no"],
  ])("%j is no success", async (members, message) => {
    const wire = createStreamWire({ post: () => undefined, envelope: () => undefined, redact: (text) => text });
    const { answer } = wire.send({ method: "tools/call", params: {}, signal: new Stop() });
    wire.accept({ jsonrpc: "2.0", id: "call-1-0", ...members });
    await expect(answer).rejects.toMatchObject({ code: "protocol-error", message: expect.stringContaining(message) });
  });

  it("an error of null is none", async () => {
    const wire = createStreamWire({ post: () => undefined, envelope: () => undefined, redact: (text) => text });
    const { answer } = wire.send({ method: "tools/call", params: {}, signal: new Stop() });
    wire.accept({ jsonrpc: "2.0", id: "call-1-0", result: { content: [] }, error: null });
    expect(await answer).toEqual({ content: [] });
  });
});

describe("what the SDK reads over HTTP", () => {
  const gate = new MessageGate({ clock: systemClock, onFlood: () => undefined });

  function replying(type: string, ...chunks: string[]): HttpExchange {
    const reply: HttpReply = {
      status: 200,
      statusText: "OK",
      headers: { get: (name) => (name === "content-type" ? type : null), entries: () => [["content-type", type]] },
      body: {
        async read(take) {
          for (const chunk of chunks) await take(new TextEncoder().encode(chunk));
        },
        stop: () => undefined,
      },
    };
    return async () => reply;
  }

  it("has no deep events, and every other event as it was", async () => {
    const refused: DeepMessage[] = [];
    const fetched = createSdkFetch(
      replying(
        "text/event-stream",
        ': hello\n\nid: 1\nretry: 5\ndata: \n\ndata: {"a":',
        `\ndata: "\u2028"}\n\ndata: {"id":9,"method":"x","params":${deep(600)}}\n\nevent: ping\ndata: 2\n\n`,
      ),
      gate,
      { onDeepMessage: (message) => void refused.push(message) },
    );
    const text = await (await fetched("http://localhost/")).text();
    expect(text).toBe(
      'id: 1\nretry: 5\nevent: message\n\nevent: message\ndata: {"a":\ndata: "\u2028"}\n\nevent: ping\ndata: 2\n\n',
    );
    expect(refused).toMatchObject([{ kind: "question", id: 9 }]);
  });

  it("fails for a deep answer, saying why", async () => {
    const reported: string[] = [];
    const fetched = createSdkFetch(replying("application/json", `{"id":1,"result":${deep(600)}}`), gate, {
      onOversize: ({ message }) => void reported.push(message),
    });
    await expect(fetched("http://localhost/")).rejects.toThrow("nested more than 500 levels deep");
    expect(reported).toHaveLength(1);
  });
});
