import type { ModelDefinition } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { createModels } from "./create-models.ts";
import { KEY_VARIABLES } from "./find/find-models.ts";
import { KEY } from "./testing/test-models.ts";

const resolveSecret = (text: string) => Promise.resolve(text);

describe("the models of this process", () => {
  it("are listed with their abilities and where they were found, and never with a key", async () => {
    const models = createModels({ definitions: [local("a", { vision: true }), openai()], resolveSecret });
    expect(await models.list()).toEqual([
      {
        name: "a",
        vendor: "openai-compatible",
        modelId: "llama",
        isDefault: true,
        source: "tacklebox.yaml",
        vision: true,
        contextTokens: 32_768,
      },
      {
        name: "openai",
        vendor: "openai",
        modelId: "gpt-4.1-mini",
        isDefault: false,
        source: "OPENAI_API_KEY",
        vision: true,
        contextTokens: 1_047_576,
        maxTools: 128,
      },
      expect.objectContaining({ name: "demo", vendor: "demo", isDefault: false, source: "built in" }),
    ]);
    expect(JSON.stringify(await models.list())).not.toContain(KEY);
  });

  it("of the config file come first and change with it, without affecting open ones", async () => {
    const models = createModels({ definitions: [openai()], resolveSecret });
    const names = async () => (await models.list()).map(({ name, isDefault }) => [name, isDefault]);
    models.configure?.([local("a")]);
    expect(await names()).toEqual([
      ["a", true],
      ["openai", false],
      ["demo", false],
    ]);
    const opened = await models.open("a");
    models.configure?.([local("b")]);
    expect(await names()).toEqual([
      ["b", true],
      ["openai", false],
      ["demo", false],
    ]);
    expect([opened.kind, (await models.open("a")).kind, (await models.open()).kind]).toEqual([
      "opened",
      "unknown",
      "opened",
    ]);
  });

  it("default to the one marked so, else the first", async () => {
    const opened = async (definitions: readonly ModelDefinition[]) => {
      const model = await createModels({ definitions, resolveSecret }).open();
      return model.kind === "opened" ? [model.model.summary.name, model.model.summary.isDefault] : undefined;
    };
    expect(await opened([local("a"), local("b", { isDefault: true })])).toEqual(["b", true]);
    expect(await opened([local("a"), local("b")])).toEqual(["a", true]);
  });

  it("are opened by name, by the vendor's id, and as another model of the same vendor", async () => {
    const models = createModels({ definitions: [local("a", { contextTokens: 5 }), openai()], resolveSecret });
    const idOf = async (name: string) => {
      const model = await models.open(name);
      return model.kind === "opened" ? [model.model.summary.name, model.model.summary.modelId] : model.message;
    };
    expect(await idOf("openai")).toEqual(["openai", "gpt-4.1-mini"]);
    expect(await idOf("gpt-4.1-mini")).toEqual(["openai", "gpt-4.1-mini"]);
    expect(await idOf("openai/gpt-4o")).toEqual(["openai/gpt-4o", "gpt-4o"]);
    expect(await idOf("a/mistral/7b")).toEqual(["a/mistral/7b", "mistral/7b"]);
    expect(await idOf("b")).toBe("There is no model 'b'. Available: a, openai, demo.");
  });

  it("keep the configured one of two with the same name", async () => {
    const models = createModels({ definitions: [openai({ modelId: "mine" }), openai()], resolveSecret });
    expect((await models.list()).map(({ modelId }) => modelId)).toEqual(["mine", "demo"]);
  });

  it("are searched for elsewhere once, and only if needed", async () => {
    let asked = 0;
    const findMore = () => {
      asked += 1;
      return Promise.resolve([local("ollama/llama")]);
    };
    const models = createModels({ definitions: [local("a")], findMore, resolveSecret });
    await models.open();
    await models.open("a");
    expect(asked).toBe(0);
    expect((await models.open("ollama/llama")).kind).toBe("opened");
    expect((await models.list()).map(({ name }) => name)).toEqual(["a", "ollama/llama", "demo"]);
    expect(asked).toBe(1);
  });

  it("are only the demo model if there is no other, and it can always be opened by name", async () => {
    const nameOf = async (definitions: readonly ModelDefinition[], name?: string) => {
      const opened = await createModels({ definitions, resolveSecret }).open(name);
      return opened.kind === "opened" ? [opened.model.summary.vendor, opened.model.summary.isDefault] : opened.message;
    };
    expect(await nameOf([])).toEqual(["demo", true]);
    expect(await nameOf([openai()])).toEqual(["openai", true]);
    expect(await nameOf([openai()], "demo")).toEqual(["demo", false]);
    expect(await nameOf([openai(), local("demo")], "demo")).toEqual(["openai-compatible", false]);
    const list = async (definitions: readonly ModelDefinition[]) =>
      (await createModels({ definitions, resolveSecret }).list()).map(({ name, vendor, isDefault }) => [
        name,
        vendor,
        isDefault,
      ]);
    expect(await list([])).toEqual([["demo", "demo", true]]);
    expect(await list([local("demo")])).toEqual([["demo", "openai-compatible", true]]);
  });

  it("say what to do if there is no such model, or if one cannot be used", async () => {
    const empty = createModels({ definitions: [], resolveSecret });
    const ways = `set ${KEY_VARIABLES.join(" or ")}, start Ollama, or add a model under 'models' in the config file`;
    expect(await empty.open("x")).toEqual({
      kind: "unknown",
      message: `There is no model 'x'. Available: demo. To use others, ${ways}.`,
    });
    expect(ways).toContain("OPENAI_API_KEY or ANTHROPIC_API_KEY");
    const { baseUrl: _baseUrl, ...nowhere } = local("nowhere");
    const models = createModels({ definitions: [nowhere, local("odd", { baseUrl: "ftp://x/v1" })], resolveSecret });
    expect(await models.open("nowhere")).toEqual({
      kind: "unknown",
      message: "Model 'nowhere' needs a baseUrl, such as http://127.0.0.1:8080/v1 (tacklebox.yaml).",
    });
    expect(await models.open("odd")).toEqual({
      kind: "unknown",
      message: "Model 'odd' has a baseUrl that is not an http address (tacklebox.yaml).",
    });
  });
});

function local(name: string, more: Partial<ModelDefinition> = {}): ModelDefinition {
  const place = { vendor: "openai-compatible", modelId: "llama", baseUrl: "http://127.0.0.1:9" } as const;
  return { name, ...place, headers: {}, isDefault: false, source: "tacklebox.yaml", ...more };
}

function openai(more: Partial<ModelDefinition> = {}): ModelDefinition {
  const place = { vendor: "openai", modelId: "gpt-4.1-mini", apiKey: KEY, source: "OPENAI_API_KEY" } as const;
  return { name: "openai", ...place, headers: {}, isDefault: false, ...more };
}
