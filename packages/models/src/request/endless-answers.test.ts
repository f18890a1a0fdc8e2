import { ModelError } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { openModel, readAll, testDefinition } from "../testing/test-models.ts";

const MB = 1024 * 1024;

/** A server whose body never ends: `head`, then `piece` again and again. Says how much of it was read. */
function endless(status: number, head: string, piece: string) {
  const encoder = new TextEncoder();
  let sent = 0;
  let signal: AbortSignal | null | undefined;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = encoder.encode(sent === 0 ? head + piece : piece);
      sent += chunk.length;
      controller.enqueue(chunk);
    },
  });
  const headers = { "content-type": status === 200 ? "text/event-stream" : "application/json" };
  const fetcher: typeof fetch = (_input, init) => {
    signal = init?.signal;
    return Promise.resolve(new Response(body, { status, headers }));
  };
  return { fetcher, sent: () => sent, isCancelled: () => signal?.aborted };
}

async function errorFrom(fetcher: typeof fetch): Promise<ModelError> {
  const model = await openModel(testDefinition("openai-compatible", "http://127.0.0.1:9"), { fetch: fetcher });
  const error: unknown = await readAll(model).catch((thrown: unknown) => thrown);
  if (error instanceof ModelError) return error;
  throw new Error("The model did not fail");
}

function delta(more: object): string {
  const chunk = { id: "c", created: 1, model: "m", object: "chat.completion.chunk" };
  return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: more }] })}\n\n`;
}

describe("F10 a model that never stops", () => {
  it.each([
    ["text", "", { content: "x".repeat(MB / 4) }],
    ["thoughts", "", { reasoning_content: "x".repeat(MB / 4) }],
    [
      "the arguments of one call",
      delta({
        tool_calls: [{ index: 0, id: "1", type: "function", function: { name: "look", arguments: '{"at":"' } }],
      }),
      { tool_calls: [{ index: 0, function: { arguments: "x".repeat(MB / 4) } }] },
    ],
  ])("is stopped after 4 MB of %s", async (_what, head, more) => {
    const { fetcher, sent, isCancelled } = endless(200, head, delta(more));
    const { code, message } = await errorFrom(fetcher);
    expect([code, message]).toEqual([
      "bad-answer",
      "Model 'm' wrote more than 4 MB in one turn and was stopped. Set a limit (max_output_tokens) for it, or use another model.",
    ]);
    expect(isCancelled()).toBe(true);
    expect(sent()).toBeLessThan(8 * MB);
  });

  it("is stopped after 16 MB of one event", async () => {
    const { fetcher, sent } = endless(200, "data: ", "x".repeat(MB));
    expect((await errorFrom(fetcher)).message).toContain("more than 16 MB without a line break");
    expect(sent()).toBeLessThan(20 * MB);
  });

  it("is stopped after 1 MB of an error", async () => {
    const { fetcher, sent } = endless(500, "{", "x".repeat(MB / 4));
    expect((await errorFrom(fetcher)).message).toContain("HTTP 500");
    expect(sent()).toBeLessThan(3 * MB);
  });
});
