import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createModels } from "../create-models.ts";
import { type ApiName, KEY, testDefinition } from "../testing/test-models.ts";

const mock = new LLMock({ port: 0 });
beforeAll(async () => {
  mock.onEmbedding("parcel", { embedding: [1, 0, 0.5] });
  mock.onEmbedding("busy", { error: { message: `Slow down, ${KEY}`, type: "rate_limit_error" }, status: 429 });
  await mock.start();
});
afterAll(() => mock.stop());

function embed(api: ApiName, texts: readonly string[], name = "m", signal = new AbortController().signal) {
  const definition = testDefinition(api, `${mock.url}/v1`);
  const models = createModels({ definitions: [definition], resolveSecret: async (text) => text });
  return models.embed?.(name, texts, signal);
}

describe.each(["openai responses", "openai-compatible"] as const)("embeddings of %s", (api) => {
  it("are one vector for each text", async () => {
    expect(await embed(api, ["a parcel"])).toEqual([[1, 0, 0.5]]);
    const lengths = (await embed(api, ["one", "two", "three"]))?.map(({ length }) => length) ?? [];
    expect(lengths).toHaveLength(3);
    expect(new Set(lengths).size).toBe(1);
  });

  it("take as many requests as the vendor's limit requires, and come back in order", async () => {
    const before = mock.getRequests().length;
    const texts = Array.from({ length: 2_050 }, (_, index) => (index === 2_049 ? "a parcel" : `text ${index}`));
    const vectors = await embed(api, texts);
    expect([vectors?.length, vectors?.at(-1)]).toEqual([2_050, [1, 0, 0.5]]);
    expect(mock.getRequests().length - before).toBe(2);
    expect(await embed(api, [])).toEqual([]);
  });

  it("that are aborted are reported as cancelled", async () => {
    await expect(embed(api, ["a parcel"], "m", AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
  });

  it("fail with an explanation, and without the key", async () => {
    const failure = await embed(api, ["busy"])?.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "rate-limit" });
    expect(String(failure)).not.toContain(KEY);
  });
});

describe("a model without embeddings", () => {
  it("says so, and so does one that does not exist", async () => {
    await expect(embed("anthropic", ["x"])).rejects.toThrow("Model 'm' does not make embeddings");
    await expect(embed("anthropic", ["x"], "nobody")).rejects.toThrow("nobody");
  });
});
