import { describe, expect, it } from "vitest";
import { MODEL_VENDORS } from "../../domain/model.ts";
import { secretsOfModel } from "../../secrets/find-secrets.ts";
import { formatConfigProblem } from "../document/config-problem.ts";
import { parseConfig } from "../parse-config.ts";

const ENV = { OPENAI_API_KEY: "sk-of-the-environment" };

function parse(text: string) {
  return parseConfig(text, { file: "tacklebox.yaml", env: ENV });
}

function modelsOf(text: string) {
  const parsed = parse(text);
  return parsed.kind === "ok" ? parsed.config.models : parsed.problems.map(formatConfigProblem);
}

function problemsOf(entry: string): readonly string[] {
  const parsed = parse(`models: {m: ${entry}}`);
  return parsed.kind === "ok" ? [] : parsed.problems.map(({ message }) => message);
}

describe("the models of a config file", () => {
  it("are read with every field", () => {
    const text = `
      models:
        fast:
          vendor: openai
          model: gpt-5.4-mini
          api_key: \${OPENAI_API_KEY}
          base_url: https://proxy.example.com/v1
          api: chat
          headers: { x-team: "\${secret:TEAM}" }
          vision: false
          context_tokens: 128000
          max_output_tokens: 4096
          default: true
    `;
    expect(modelsOf(text)).toEqual([
      {
        name: "fast",
        vendor: "openai",
        modelId: "gpt-5.4-mini",
        apiKey: "sk-of-the-environment",
        baseUrl: "https://proxy.example.com/v1",
        api: "chat",
        headers: { "x-team": "${secret:TEAM}" },
        vision: false,
        contextTokens: 128_000,
        maxOutputTokens: 4_096,
        isDefault: true,
        source: "models.fast in tacklebox.yaml",
      },
    ]);
  });

  it("leave out missing fields, and keep a reference to a stored key as it is", () => {
    expect(modelsOf("models: {a: {vendor: anthropic, model: claude-sonnet-5, api_key: '${secret:KEY}'}}")).toEqual([
      {
        name: "a",
        vendor: "anthropic",
        modelId: "claude-sonnet-5",
        apiKey: "${secret:KEY}",
        headers: {},
        isDefault: false,
        source: "models.a in tacklebox.yaml",
      },
    ]);
  });

  it.each([
    ["ollama", "http://127.0.0.1:11434/v1"],
    ["llamacpp", "http://127.0.0.1:8080/v1"],
    ["vllm", "http://127.0.0.1:8000/v1"],
    ["lmstudio", "http://127.0.0.1:1234/v1"],
  ])("have a default address for %s, which needs no key", (vendor, baseUrl) => {
    expect(modelsOf(`models: {m: {vendor: ${vendor}, model: x}}`)).toMatchObject([
      { vendor: "openai-compatible", baseUrl },
    ]);
    expect(modelsOf(`models: {m: {vendor: ${vendor}, model: x, base_url: "http://localhost:9/v1"}}`)).toMatchObject([
      { vendor: "openai-compatible", baseUrl: "http://localhost:9/v1" },
    ]);
  });

  it.each([
    ["fast", "models.m must be a map that describes one model"],
    ["{vendor: openai, api_key: abc}", "model is missing"],
    [
      "{vendor: opnai, model: x}",
      `vendor must be one of: ${MODEL_VENDORS.join(", ")}, ollama, llamacpp, vllm, lmstudio`,
    ],
    ["{vendor: openai, modle: x, api_key: abc}", "Unknown key 'modle'. Did you mean 'model'?"],
    [
      "{vendor: openai, model: x}",
      "Model 'm' is missing required field 'api_key', such as ${OPENAI_API_KEY} or ${secret:NAME}",
    ],
    [
      "{vendor: anthropic, model: x, api_key: }",
      "Model 'm' is missing required field 'api_key', such as ${ANTHROPIC_API_KEY} or ${secret:NAME}",
    ],
    [
      "{vendor: openai-compatible, model: x}",
      "Model 'm' is openai-compatible but is missing required field 'base_url', such as http://127.0.0.1:8080/v1",
    ],
    [
      "{vendor: anthropic, model: x, api_key: abc, api: chat}",
      "Model 'm' is of Anthropic, which has one API; remove 'api'",
    ],
    [
      "{vendor: openai, model: x, api_key: '${MISSING}'}",
      "The environment variable 'MISSING', used by model 'm', is not set. Set it, or give a default: ${MISSING:-default}",
    ],
    [
      "{vendor: openai, model: '${secret:M}', api_key: abc}",
      "A stored secret (${secret:…}), used by model 'm', may not stand in 'model'. It may in api_key and headers",
    ],
    [
      "{vendor: vllm, model: x, base_url: 'http://h/${secret:M}'}",
      "A stored secret (${secret:…}), used by model 'm', may not stand in 'base_url'. It may in api_key and headers",
    ],
    [
      "{vendor: vllm, model: x, base_url: localhost}",
      "The base_url of model 'm' must be a full address such as http://127.0.0.1:8080/v1",
    ],
    [
      "{vendor: vllm, model: x, base_url: 'https://me:pass@h/v1'}",
      "The base_url of model 'm' must not contain a user name or password; use 'api_key' or 'headers'",
    ],
    [
      "{vendor: vllm, model: x, api_key: abc, base_url: 'http://gpu.lan/v1'}",
      "Model 'm' would receive credentials over plain http, where others can read them; use https, or set allow_insecure_http: true if the network is trusted",
    ],
    [
      "{vendor: openai, model: x, api_key: abc, context_tokens: 0}",
      "context_tokens must be a whole number of at least 1",
    ],
  ])("%s is a problem", (entry, message) => {
    expect(problemsOf(entry)).toEqual([message]);
  });

  it("report problems with their position, and allow only one default", () => {
    const text =
      "models:\n  a: {vendor: ollama, model: x, default: true}\n  b: {vendor: ollama, model: y, default: true}\n";
    expect(modelsOf(text)).toEqual(["tacklebox.yaml:3:42\nModels 'a' and 'b' both say default: true; keep one"]);
  });

  it("D.15 cause a warning for plain http to another machine, and may send a key there only if the file allows it", () => {
    const open = parse("models: {m: {vendor: vllm, model: x, base_url: 'http://gpu.lan/v1'}}");
    expect(open.kind === "ok" && open.warnings.map(({ message }) => message)).toEqual([
      "Model 'm' is reached over plain http, where others can read and change what is sent; use https if it can",
    ]);
    const allowed = "{vendor: vllm, model: x, api_key: abc, base_url: 'http://gpu.lan/v1', allow_insecure_http: true}";
    expect(problemsOf(allowed)).toEqual([]);
  });

  it("have their key and headers redacted, but not references to stored ones", () => {
    const text = `
      models:
        m:
          vendor: vllm
          model: some-model
          api_key: \${OPENAI_API_KEY}
          base_url: http://127.0.0.1:8000/v1?key=key-in-the-query
          headers: { authorization: Bearer token-in-a-header, x-other: "\${secret:OTHER}", accept: text/plain }
    `;
    const parsed = parse(text);
    expect(parsed.kind === "ok" && parsed.config.models?.flatMap(secretsOfModel).sort()).toEqual([
      "Bearer token-in-a-header",
      "key-in-the-query",
      "sk-of-the-environment",
      "token-in-a-header",
    ]);
  });
});
