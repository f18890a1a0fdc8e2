import { expect, it } from "vitest";
import { findLocalModels, findModels } from "./find-models.ts";

it("finds a model for each key in the environment, OpenAI before Anthropic", () => {
  const env = {
    ANTHROPIC_API_KEY: "key-a",
    ANTHROPIC_BASE_URL: "https://proxy.example",
    ANTHROPIC_MODEL: "claude-opus-5",
    OPENAI_API_KEY: " key-o ",
  };
  expect(findModels(env)).toEqual([
    {
      name: "openai",
      vendor: "openai",
      modelId: "gpt-5.4",
      apiKey: "key-o",
      headers: {},
      isDefault: false,
      source: "OPENAI_API_KEY",
    },
    {
      name: "anthropic",
      vendor: "anthropic",
      modelId: "claude-opus-5",
      apiKey: "key-a",
      baseUrl: "https://proxy.example",
      headers: {},
      isDefault: false,
      source: "ANTHROPIC_API_KEY",
    },
  ]);
});

it("finds none without a key", () => {
  expect(findModels({ OPENAI_API_KEY: " ", OPENAI_BASE_URL: "http://localhost" })).toEqual([]);
});

it("looks for local models at the address in the environment", async () => {
  const asked: string[] = [];
  const fetcher: typeof fetch = (input) => {
    asked.push(input instanceof Request ? input.url : input.toString());
    return Promise.resolve(Response.json({ models: [{ name: "llama" }] }));
  };
  const found = await findLocalModels(fetcher, { OLLAMA_HOST: "box.local:7000" });
  expect(asked).toEqual(["http://box.local:7000/api/tags", "http://box.local:7000/api/show"]);
  expect(found).toMatchObject([{ name: "ollama/llama", vendor: "openai-compatible" }]);
});
