import { LLMock } from "@copilotkit/aimock";
import type { Message, ModelTool } from "@tacklebox/core";
import { collectTurn } from "@tacklebox/core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API_NAMES, openModel, readAll, testDefinition } from "../testing/test-models.ts";

// A third-party model server: our own test server could share our misunderstandings.
const mock = new LLMock({ port: 0, chunkSize: 3 });

const TOOLS: ModelTool[] = ["get_weather", "get_time"].map((name) => ({
  name,
  description: "Looks",
  inputSchema: { type: "object", properties: { city: { type: "string" } } },
}));

beforeAll(async () => {
  mock.onMessage("hello", { content: "Hi there, how are you?", usage: { prompt_tokens: 11, completion_tokens: 7 } });
  mock.onMessage("think", { content: "Done.", reasoning: "Let me think.", reasoningSignature: "sig-1" });
  mock.on(
    { userMessage: "weather", hasToolResult: false },
    {
      reasoning: "I need two tools.",
      reasoningSignature: "sig-2",
      toolCalls: [
        { name: "get_weather", arguments: '{"city":"Bern"}', id: "call_w" },
        { name: "get_time", arguments: "{}", id: "call_t" },
      ],
    },
  );
  mock.on({ userMessage: "weather", toolResultContains: "noon" }, { content: "Sunny at noon." });
  mock.onMessage("broken", { toolCalls: [{ name: "get_weather", arguments: '{"city": "Be', id: "call_b" }] });
  mock.onMessage("busy", { error: { message: "Slow down", type: "rate_limit_error" }, status: 429, retryAfter: 3 });
  mock.onMessage("cut", { content: "This answer will be cut off" }, { truncateAfterChunks: 3 });
  await mock.start();
});
afterAll(() => mock.stop());

describe.each(API_NAMES)("aimock speaking %s", (api) => {
  const open = () => openModel(testDefinition(api, api === "anthropic" ? mock.url : `${mock.url}/v1`));
  const ask = async (text: string) => readAll(await open(), { messages: [user(text)], tools: TOOLS });

  it("streams a text in pieces, with usage", async () => {
    const events = await ask("hello");
    const texts = events.flatMap((event) => (event.type === "text" && event.text !== "" ? [event.text] : []));
    expect(texts.join("")).toBe("Hi there, how are you?");
    expect(texts.length).toBeGreaterThan(3);
    expect(events.slice(-2)).toEqual([
      { type: "usage", usage: { inputTokens: 11, outputTokens: 7 } },
      { type: "ended", reason: "stop" },
    ]);
  });

  // OpenAI's chat API does not reveal its models' thoughts.
  if (api !== "openai chat") {
    it("reports the model's thoughts", async () => {
      const { parts } = collectTurn(await ask("think"));
      expect(parts.map(({ type }) => type)).toEqual(["thought", "text"]);
      expect(parts[0]).toMatchObject({ text: "Let me think." });
    });
  }

  it("C1.6 calls two tools in one turn and answers in the next round", async () => {
    const model = await open();
    const events = await readAll(model, { messages: [user("weather")], tools: TOOLS });
    const calls = events.flatMap((event) => (event.type === "call" ? [event.call] : []));
    expect(calls.map(({ id, tool, arguments: given }) => [id, tool, given])).toEqual([
      ["call_w", "get_weather", { city: "Bern" }],
      ["call_t", "get_time", {}],
    ]);
    expect(events.at(-1)).toEqual({ type: "ended", reason: "calls" });
    const results = [result("call_w", "get_weather", "sunny"), result("call_t", "get_time", "noon")];
    const messages: Message[] = [user("weather"), collectTurn(events), { role: "tool", results }];
    const second = collectTurn(await readAll(model, { messages, tools: TOOLS }));
    expect(second.parts.at(-1)).toMatchObject({ type: "text", text: "Sunny at noon." });
  });

  // For Anthropic, aimock repairs them.
  if (api !== "anthropic") {
    it("reports arguments that are not JSON as unreadable", async () => {
      expect(await ask("broken")).toContainEqual({
        type: "call",
        call: expect.objectContaining({ id: "call_b", arguments: {}, unreadable: '{"city": "Be' }),
      });
    });
  }

  it("reports a rate limit with the time to wait, and a cut answer as unreachable", async () => {
    await expect(ask("busy")).rejects.toMatchObject({ code: "rate-limit", retryAfterMs: 3000 });
    await expect(ask("cut")).rejects.toMatchObject({ code: "unreachable" });
  });
});

function user(text: string): Message {
  return { role: "user", parts: [{ type: "text", text }] };
}

function result(id: string, tool: string, text: string) {
  return { id, tool, text, isError: false };
}
