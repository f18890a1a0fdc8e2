import { describe, expect, it } from "vitest";
import { parseConfig } from "../parse-config.ts";

const FILE = `
servers:
  files: { command: npx }
  crm: { url: https://crm.example.com/mcp }
models:
  fast: { vendor: ollama, model: qwen3 }
custom_tools:
  - { name: weather, description: The weather, endpoint: https://example.com/weather }
`;

function parse(gpts: string, rest = FILE) {
  return parseConfig(`${rest}\ngpts: ${gpts}`, { file: "tacklebox.yaml", env: {} });
}

function gptsOf(gpts: string, rest = FILE) {
  const parsed = parse(gpts, rest);
  return parsed.kind === "ok" ? parsed.config.gpts : parsed.problems.map(({ message }) => message);
}

describe("the GPTs of a config file", () => {
  it("S1.33 ask about every call by default, and are named by their keys", () => {
    expect(gptsOf("{clerk: {}}")).toEqual([
      { key: "clerk", name: "clerk", instructions: "", tools: {}, approval: "always-ask", trustedTools: [] },
    ]);
  });

  it("are read with every field", () => {
    const clerk = `{
      name: The clerk,
      description: Looks customers up,
      instructions: "Answer briefly.",
      model: fast,
      servers: [crm, files, local, custom],
      tools: { "crm:delete": off, "files:read:all": agent, "custom:weather": manual },
      approval: trusted-only,
      trusted_tools: ["crm:get", list_files]
    }`;
    expect(gptsOf(`{clerk: ${clerk}}`)).toEqual([
      {
        key: "clerk",
        name: "The clerk",
        description: "Looks customers up",
        instructions: "Answer briefly.",
        model: "fast",
        servers: ["crm", "files", "local", "custom"],
        tools: { "crm:delete": "off", "files:read:all": "agent", "custom:weather": "manual" },
        approval: "trusted-only",
        trustedTools: ["crm:get", "list_files"],
      },
    ]);
  });

  it.each(["fast", "qwen3", "fast/llama3", "openai", "anthropic/claude-sonnet-5"])("may use the model %s", (model) => {
    expect(gptsOf(`{g: {model: ${model}}}`)).toMatchObject([{ model }]);
  });

  it("may use any model if the file lists none, since the environment may provide it", () => {
    expect(gptsOf("{g: {model: llama3}}", "servers: {}")).toMatchObject([{ model: "llama3" }]);
  });

  it.each([
    ["clerk", "gpts.g must be a map that describes one GPT"],
    ["{instruction: x}", "Unknown key 'instruction'. Did you mean 'instructions'?"],
    ["{approval: ask}", "approval must be one of: auto, always-ask, trusted-only"],
    ["{tools: {'crm:get': never}}", "tools.crm:get must be one of: always, manual, agent, off"],
    ["{model: fsat}", "GPT 'g' uses the model 'fsat', which this file does not define. Did you mean 'fast'?"],
    [
      "{model: something-else}",
      "GPT 'g' uses the model 'something-else', which this file does not define. Add it under 'models'",
    ],
    ["{servers: [crm, flies]}", "GPT 'g' uses 'flies', which is not a server here. Did you mean 'files'?"],
    [
      "{tools: {'flies:get': off}}",
      "GPT 'g' names the tool 'flies:get' of 'flies', which is not a server here. Did you mean 'files'?",
    ],
    ["{tools: {get: off}}", "GPT 'g' names the tool 'get' without its server; write server:tool"],
    [
      "{trusted_tools: ['flies:read']}",
      "GPT 'g' trusts the tool 'flies:read' of 'flies', which is not a server here. Did you mean 'files'?",
    ],
    [
      "{instructions: '${secret:S}'}",
      "A stored secret (${secret:…}), used by GPT 'g', may not stand in 'instructions'. It may in headers, authentication, env, args and the path or query of a server's url",
    ],
  ])("%s is a problem", (entry, message) => {
    expect(gptsOf(`{g: ${entry}}`)).toEqual([message]);
  });

  it("report problems with their position", () => {
    const parsed = parse("\n  g:\n    servers: [crm, nowhere]\n", "servers: { crm: { command: x } }");
    expect(parsed).toMatchObject({ kind: "invalid", problems: [{ line: 4, column: 20, path: "gpts.g.servers[1]" }] });
  });
});
