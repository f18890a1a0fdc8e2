import { describe, expect, it } from "vitest";
import { type ApiName, testDefinition } from "../testing/test-models.ts";
import { abilitiesOf } from "./abilities.ts";

describe("a model's abilities", () => {
  it.each([
    ["openai responses", "gpt-4o-mini", { vision: true, contextTokens: 128_000, maxTools: 128 }],
    ["openai responses", "o3-mini", { vision: false, contextTokens: 200_000, maxTools: 128 }],
    ["anthropic", "claude-opus-5", { vision: true, contextTokens: 200_000 }],
  ] as const)("are known for %s's %s", (api, modelId, expected) => {
    expect(abilities(api, modelId)).toEqual(expected);
  });

  it("are its vendor's defaults if nothing is known of it", () => {
    expect(abilities("openai chat", "ft:mine")).toEqual({ vision: true, contextTokens: 128_000, maxTools: 128 });
    expect(abilities("anthropic", "mine")).toEqual({ vision: true, contextTokens: 200_000 });
  });

  it("are the other vendor's if a gateway serves that vendor's model", () => {
    expect(abilities("anthropic", "gpt-4.1").contextTokens).toBe(1_047_576);
    expect(abilities("openai chat", "claude-sonnet-5").contextTokens).toBe(200_000);
  });

  it("are not inferred from the id of a model on a self-hosted server", () => {
    expect(abilities("openai-compatible", "gpt-4.1")).toEqual({ vision: false, contextTokens: 32_768 });
  });

  it("are what the definition says, whatever is known", () => {
    const definition = testDefinition("openai chat", "http://127.0.0.1:9", { vision: false, contextTokens: 5 });
    expect(abilitiesOf(definition)).toMatchObject({ vision: false, contextTokens: 5 });
  });
});

function abilities(api: ApiName, modelId: string) {
  return abilitiesOf(testDefinition(api, "http://127.0.0.1:9", { modelId }));
}
