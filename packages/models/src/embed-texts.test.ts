import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createModels } from "./create-models.ts";
import { KEY, type Spoken, testDefinition } from "./testing/test-models.ts";

const mock = new LLMock({ port: 0 });
beforeAll(async () => {
  mock.onEmbedding("parcel", { embedding: [1, 0, 0.5] });
  mock.onEmbedding("busy", { error: { message: `Slow down, ${KEY}`, type: "rate_limit_error" }, status: 429 });
  await mock.start();
});
afterAll(() => mock.stop());

function embed(spoken: Spoken, texts: readonly string[], name = "m", signal = new AbortController().signal) {
  const definition = testDefinition(spoken, `${mock.url}/v1`);
  const models = createModels({ definitions: [definition], resolveSecret: async (text) => text });
  return models.embed?.(name, texts, signal);
}

describe.each(["openai responses", "openai-compatible"] as const)("embeddings of %s", (spoken) => {
  it("are one vector for each text", async () => {
    expect(await embed(spoken, ["a parcel"])).toEqual([[1, 0, 0.5]]);
    const lengths = (await embed(spoken, ["one", "two", "three"]))?.map(({ length }) => length) ?? [];
    expect(lengths).toHaveLength(3);
    expect(new Set(lengths).size).toBe(1);
  });

  it("are asked for in as many requests as the vendor's limit needs, and come back in order", async () => {
    const before = mock.getRequests().length;
    const texts = Array.from({ length: 2_050 }, (_, index) => (index === 2_049 ? "a parcel" : `text ${index}`));
    const vectors = await embed(spoken, texts);
    expect([vectors?.length, vectors?.at(-1)]).toEqual([2_050, [1, 0, 0.5]]);
    expect(mock.getRequests().length - before).toBe(2);
    expect(await embed(spoken, [])).toEqual([]);
  });

  it("that nobody waits for any more are told as cancelled", async () => {
    await expect(embed(spoken, ["a parcel"], "m", AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
  });

  it("fail with what happened, and without the key", async () => {
    const failure = await embed(spoken, ["busy"])?.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "rate-limit" });
    expect(String(failure)).not.toContain(KEY);
  });
});

describe("a model without embeddings", () => {
  it("says so, and so does one that is not there", async () => {
    await expect(embed("anthropic", ["x"])).rejects.toThrow("Model 'm' makes no embeddings");
    await expect(embed("anthropic", ["x"], "nobody")).rejects.toThrow("nobody");
  });
});
