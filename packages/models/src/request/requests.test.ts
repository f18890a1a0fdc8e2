import type { ImagePart, Message, ModelDefinition, ModelRequest } from "@tacklebox/core";
import { collectTurn } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { anthropicReply } from "../testing/anthropic-reply.ts";
import { chatReply } from "../testing/chat-reply.ts";
import { responsesReply } from "../testing/responses-reply.ts";
import { SCRIPTED_REPLIES } from "../testing/scripted-replies.ts";
import { API_NAMES, type ApiName, openModel, readAll, testDefinition } from "../testing/test-models.ts";
import { type Reply, sse, startVendorServer } from "../testing/vendor-server.ts";

const QUESTION: Message = { role: "user", parts: [{ type: "text", text: "What is the weather?" }] };
const CALL = { id: "call_1", tool: "look", arguments: '{"at":"Bern"}' };
const SEEN: ImagePart = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };

describe("C1.6 what a vendor gets back in a second round", () => {
  it("is Anthropic's thinking with its signature, hidden thinking, and the call with its result", async () => {
    const hidden = { type: "content_block_start", index: 7, content_block: { type: "redacted_thinking", data: "hid" } };
    const reply = anthropicReply({ kind: "answer", thought: "I must look.", text: "Wait.", calls: [CALL] });
    const [sent] = await secondRound(
      "anthropic",
      withEvents(reply, 1, hidden, { type: "content_block_stop", index: 7 }),
    );
    expect(sent).toMatchObject({
      messages: [
        { role: "user" },
        {
          role: "assistant",
          content: [
            { type: "redacted_thinking", data: "hid" },
            { type: "thinking", thinking: "I must look.", signature: "signed-1" },
            { type: "text", text: "Wait." },
            { type: "tool_use", id: "call_1", name: "look", input: { at: "Bern" } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "Sunny", is_error: true }] },
      ],
    });
  });

  it("is OpenAI's reasoning with its id and encrypted content, without storing anything there", async () => {
    const reply = responsesReply({ kind: "answer", thought: "I must look.", text: "Wait.", calls: [CALL] });
    const [sent, first] = await secondRound("openai responses", reply);
    expect(first).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect(sent).toMatchObject({
      store: false,
      input: [
        { role: "developer" },
        { role: "user" },
        {
          type: "reasoning",
          id: "rs_1",
          encrypted_content: "sealed-1",
          summary: [{ type: "summary_text", text: "I must look." }],
        },
        { role: "assistant", id: "msg_1", content: [{ type: "output_text", text: "Wait." }] },
        { type: "function_call", call_id: "call_1", name: "look", arguments: '{"at":"Bern"}' },
        { type: "function_call_output", call_id: "call_1", output: "Sunny" },
      ],
    });
  });

  it("is the call and its result in the chat API", async () => {
    const [sent] = await secondRound("openai chat", chatReply({ kind: "answer", text: "Wait.", calls: [CALL] }));
    const called = [{ id: "call_1", type: "function", function: { name: "look", arguments: '{"at":"Bern"}' } }];
    expect(sent).toMatchObject({
      messages: [
        { role: "system" },
        { role: "user" },
        { role: "assistant", content: "Wait.", tool_calls: called },
        { role: "tool", tool_call_id: "call_1", content: "Sunny" },
      ],
    });
  });

  it("is an open model's thought within the round, and no longer after the next user message", async () => {
    const reply = chatReply({ kind: "answer", thought: "I must look.", calls: [CALL] });
    const [sent] = await secondRound("openai-compatible", reply);
    expect(JSON.stringify(sent)).toContain('"reasoning_content":"I must look."');
    const [later] = await secondRound("openai-compatible", reply, [QUESTION]);
    expect(JSON.stringify(later)).not.toContain("I must look.");
  });

  it("is the signature that Gemini gives with a call through its compatible endpoint", async () => {
    const signed = { extra_content: { google: { thought_signature: "gem-1" } } };
    const call = { index: 0, id: "call_1", type: "function", function: { name: "look", arguments: "{}" }, ...signed };
    const reply: Reply = { kind: "stream", events: [chunk({ tool_calls: [call] }), chunk({}, "tool_calls")] };
    const [sent] = await secondRound("openai-compatible", reply);
    expect(sent).toMatchObject({ messages: [{}, {}, { tool_calls: [{ id: "call_1", ...signed }] }, {}] });
  });

  it("contains none of another model's marks", async () => {
    const reply = anthropicReply({ kind: "answer", thought: "I must look.", calls: [CALL] });
    const [sent] = await secondRound("anthropic", reply, [], { modelId: "claude-opus-5" });
    expect(JSON.stringify(sent)).toContain("tool_use");
    expect(JSON.stringify(sent)).not.toMatch(/signed-1|I must look/);
  });
});

describe("a tool on its way to the vendor", () => {
  const tools = [
    { name: "mail.send", description: "Sends", inputSchema: { type: "object", anyOf: [{ required: ["to"] }] } },
    { name: "mail_send", description: "Sends, too", inputSchema: { type: "object" } },
  ];

  it.each(API_NAMES)("has a name that %s accepts, and its own name when it is called", async (api) => {
    const call = { ...CALL, tool: "mail_send_2" };
    const { model, sent, close } = await open(api, [SCRIPTED_REPLIES[api]({ kind: "answer", calls: [call] })]);
    const events = await readAll(model, { tools });
    await close();
    expect(events).toContainEqual(expect.objectContaining({ call: expect.objectContaining({ tool: "mail.send" }) }));
    expect(JSON.stringify(sent()[0])).toContain('"name":"mail_send_2"');
    expect(JSON.stringify(sent()[0])).not.toContain("anyOf");
  });

  it.each(["openai", "openai-compatible"] as const)(
    "is not strict in OpenAI's newer API, where strict is the default, with vendor %s",
    async (vendor) => {
      const reply = responsesReply({ kind: "answer", text: "Yes." });
      const { model, sent, close } = await open("openai responses", [reply], { vendor, api: "responses" });
      await readAll(model, { tools });
      await close();
      expect(sent()[0]).toMatchObject({ tools: [{ strict: false }, { strict: false }] });
    },
  );

  it.each(API_NAMES)("is reported even if %s calls one that does not exist", async (api) => {
    const call = { ...CALL, tool: "nowhere" };
    const { model, close } = await open(api, [SCRIPTED_REPLIES[api]({ kind: "answer", calls: [call] })]);
    const events = await readAll(model, { tools });
    const none = await readAll(model, { tools: [] });
    await close();
    const reported = { type: "call", call: expect.objectContaining({ tool: "nowhere", arguments: { at: "Bern" } }) };
    expect([events, none]).toEqual([expect.arrayContaining([reported]), expect.arrayContaining([reported])]);
  });
});

describe("an image", () => {
  const shown: Message = { role: "user", parts: [{ type: "text", text: "Look:" }, SEEN] };
  const result = { id: "call_1", tool: "look", text: "Here.", isError: false, images: [SEEN] };
  const called: Message = { role: "assistant", parts: [{ type: "call", id: "call_1", tool: "look", arguments: {} }] };
  const conversation: Message[] = [QUESTION, called, { role: "tool", results: [result] }];

  it.each(API_NAMES)("reaches %s from the user and from a tool if the model has vision", async (api) => {
    for (const messages of [[shown], conversation]) {
      const body = JSON.stringify(await sentBy(api, { messages }, { vision: true }));
      expect(body).toContain(SEEN.data);
      expect(body).not.toContain("not shown");
    }
  });

  it.each(API_NAMES)("is a text for %s if the model has no vision", async (api) => {
    for (const messages of [[shown], conversation]) {
      const body = JSON.stringify(await sentBy(api, { messages }, { vision: false }));
      expect(body).not.toContain(SEEN.data);
      expect(body).toContain("[image, image/png, 9 bytes, not shown: this model does not accept images]");
    }
  });

  it("is a text if vendors do not accept its type, or if it is a URL", async () => {
    const hostile = await startVendorServer([{ kind: "body", status: 200, body: "secret" }]);
    const images: ImagePart[] = [
      { ...SEEN, mimeType: "image/svg+xml" },
      { ...SEEN, data: `${hostile.url}/inside.png` },
    ];
    for (const messages of [
      [{ role: "user", parts: images } as const],
      [...conversation.slice(0, 2), withImages(images)],
    ]) {
      const body = JSON.stringify(await sentBy("openai responses", { messages }));
      expect(body).toContain("models do not accept this kind of image");
      expect(body).toContain("it is not valid base64");
      expect(body).not.toContain("inside.png");
    }
    await hostile.close();
    expect(hostile.requests).toEqual([]);
  });

  function withImages(images: readonly ImagePart[]): Message {
    return { role: "tool", results: [{ ...result, images }] };
  }
});

describe("a conversation that vendors would refuse", () => {
  it.each(API_NAMES)("is sent to %s without empty parts, with ids it accepts", async (api) => {
    const id = `functions.look:0/${"x".repeat(60)}`;
    const messages: Message[] = [
      { role: "user", parts: [{ type: "text", text: " " }] },
      { role: "assistant", parts: [{ type: "text", text: "" }] },
      { role: "user", parts: [{ type: "text", text: "Again." }] },
      {
        role: "assistant",
        parts: [
          { type: "text", text: "\n" },
          { type: "call", id, tool: "look", arguments: {}, unreadable: "{" },
        ],
      },
      { role: "tool", results: [{ id, tool: "look", text: "not readable", isError: true }] },
    ];
    const body = JSON.stringify(await sentBy(api, { messages }));
    expect(body).toContain("(empty)");
    expect(body).not.toContain('"text":""');
    expect(body).not.toContain("functions.look:0");
    expect(body.match(/functions_look_0_x{23}"/g)).toHaveLength(2);
  });
});

describe("what would break a conversation for good", () => {
  it.each(API_NAMES)("a lone surrogate, wherever it occurs, is sent to %s as a replacement character", async (api) => {
    const half = "\ud83d";
    const called = { type: "call", id: "c1", tool: "look", arguments: {} } as const;
    const messages: Message[] = [
      { role: "user", parts: [{ type: "text", text: `😀 ${half} and the words \\ud83d` }] },
      { role: "assistant", parts: [called] },
      { role: "tool", results: [{ id: "c1", tool: "look", text: `seen ${half}`, isError: false }] },
    ];
    const tools = [{ name: "look", description: `Looks ${half}`, inputSchema: { type: "object" } }];
    const server = await startVendorServer([SCRIPTED_REPLIES[api]({ kind: "answer", text: "Yes." })]);
    await readAll(await openModel(testDefinition(api, server.url)), { messages, tools });
    await server.close();
    const body = server.requests[0]?.body ?? "";
    const texts = textsIn(JSON.parse(body)).join("\n");
    expect(texts).not.toMatch(/\p{Surrogate}/u);
    for (const text of ["😀 \ufffd and the words \\ud83d", "seen \ufffd", "Looks \ufffd"])
      expect(texts).toContain(text);
  });

  it.each(["anthropic", "openai responses"] as const)(
    "a thought without text or call after it is not sent back to %s",
    async (api) => {
      const server = await startVendorServer([SCRIPTED_REPLIES[api]({ kind: "answer", thought: "I must look." })]);
      const model = await openModel(testDefinition(api, server.url));
      const thought = collectTurn(await readAll(model));
      expect(thought.parts).toMatchObject([{ type: "thought", vendor: {} }]);
      const [alone] = thought.parts;
      const cut: Message = { role: "assistant", parts: [{ type: "text", text: "Well," }, ...(alone ? [alone] : [])] };
      await readAll(model, { messages: [QUESTION, thought, QUESTION, cut, QUESTION] });
      await server.close();
      const body = server.requests[1]?.body ?? "";
      expect(body).not.toMatch(/signed-1|sealed-1|rs_1|I must look/);
      expect(body).toContain("Well,");
    },
  );
});

describe("a call", () => {
  it.each(API_NAMES)("may have a key that is special in JavaScript, and %s's call stays as written", async (api) => {
    const calls = [
      { ...CALL, arguments: '{"__proto__":{"a":1},"b":2}' },
      { ...CALL, id: "call_2", arguments: " \n " },
    ];
    const { model, close } = await open(api, [SCRIPTED_REPLIES[api]({ kind: "answer", calls })]);
    const reported = (await readAll(model)).flatMap((event) => (event.type === "call" ? [event.call] : []));
    await close();
    expect(reported.map((call) => Object.keys(call.arguments))).toEqual([["__proto__", "b"], []]);
    expect(reported.map(({ unreadable }) => unreadable)).toEqual([undefined, undefined]);
    expect(Object.getPrototypeOf(reported[0]?.arguments)).toBe(Object.prototype);
  });

  it("is reported even if a server gives two calls the same id", async () => {
    const calls = [0, 1].map((index) => ({
      index,
      id: `same`,
      function: { name: "look", arguments: `{"n":${index}}` },
    }));
    const events = [chunk({ tool_calls: calls.slice(0, 1) }), chunk({ tool_calls: calls.slice(1) }), chunk({}, "stop")];
    const { model, close } = await open("openai-compatible", [{ kind: "stream", events }]);
    const reported = await readAll(model);
    await close();
    const given = reported.flatMap((event) => (event.type === "call" ? [event.call.arguments] : []));
    expect(given).toEqual([{ n: 0 }, { n: 1 }]);
    expect(reported.at(-1)).toEqual({ type: "ended", reason: "calls" });
  });
});

async function open(api: ApiName, replies: readonly Reply[], more: Partial<ModelDefinition> = {}) {
  const server = await startVendorServer(replies);
  const model = await openModel(testDefinition(api, server.url, more));
  return { model, sent: () => server.requests.map(({ body }): unknown => JSON.parse(body)), close: server.close };
}

/** What a vendor was sent before and after its call was answered; the second request may go to another model. */
async function secondRound(
  api: ApiName,
  reply: Reply,
  then: readonly Message[] = [],
  other: Partial<ModelDefinition> = {},
): Promise<[second: unknown, first: unknown]> {
  const first = await open(api, [reply]);
  const turn = collectTurn(await readAll(first.model));
  const second = await open(api, [SCRIPTED_REPLIES[api]({ kind: "answer", text: "Sunny." })], other);
  const answer: Message = { role: "tool", results: [{ id: "call_1", tool: "look", text: "Sunny", isError: true }] };
  // Through JSON, as sessions are stored.
  const kept = JSON.parse(JSON.stringify([QUESTION, turn, answer, ...then]));
  await readAll(second.model, { messages: kept });
  await Promise.all([first.close(), second.close()]);
  return [second.sent()[0], first.sent()[0]];
}

async function sentBy(api: ApiName, request: Partial<ModelRequest>, more: Partial<ModelDefinition> = {}) {
  const { model, sent, close } = await open(api, [SCRIPTED_REPLIES[api]({ kind: "answer", text: "Yes." })], more);
  await readAll(model, request);
  await close();
  return sent()[0];
}

function withEvents(
  reply: Reply,
  at: number,
  ...events: readonly { readonly type: string; readonly [key: string]: unknown }[]
): Reply {
  if (reply.kind !== "stream") return reply;
  return { ...reply, events: reply.events.toSpliced(at, 0, ...events.map((event) => sse(event, event.type))) };
}

function chunk(delta: object, finish: string | null = null): string {
  return sse({ id: "c", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] });
}

/** Every string in a JSON value, including keys. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...textsIn(member)]);
}
