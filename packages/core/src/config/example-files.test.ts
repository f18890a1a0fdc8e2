import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { formatConfigProblem } from "./document/config-problem.ts";
import { parseConfig } from "./parse-config.ts";

const FOLDER = new URL("../../../../examples/dialects/", import.meta.url);
const ENV = { GITHUB_TOKEN: "token-of-github", MYAPI_TOKEN: "token-of-myapi" };

function load(file: string, env: Record<string, string> = ENV) {
  return parseConfig(readFileSync(new URL(file, FOLDER), "utf8"), { file, env });
}

function summary(file: string) {
  const parsed = load(file);
  if (parsed.kind === "invalid") return parsed.problems.map(formatConfigProblem);
  const { servers, toolbox } = parsed.config;
  return {
    dialect: parsed.dialect,
    servers: servers.map(({ key, launch, mode, required }) => [key, launch.transport, mode, required]),
    tools: toolbox.tools.map(({ name, maxInstances, timeoutMs }) => [name, maxInstances, timeoutMs]),
  };
}

describe("the example files", () => {
  it("S4.10 include a minimal strict one", () => {
    expect(summary("s4-minimal-strict.yaml")).toEqual({
      dialect: "toolbox",
      servers: [["customers", "streamable-http", "strict", true]],
      tools: [["get_customer", 10, 30_000]],
    });
  });

  it("S4.10 include a minimal dynamic one", () => {
    expect(summary("s4-minimal-dynamic.yaml")).toEqual({
      dialect: "toolbox",
      servers: [["customers", "streamable-http", "dynamic", true]],
      tools: [],
    });
  });

  it("S4.10 include a mixed one, which is recommended", () => {
    expect(summary("s4-mixed.yaml")).toEqual({
      dialect: "toolbox",
      servers: [
        ["customers", "streamable-http", "dynamic", true],
        ["external", "streamable-http", "strict", true],
      ],
      tools: [
        ["get_customer", 50, 60_000],
        ["lookup_address", 5, 30_000],
      ],
    });
  });

  it("S4.10 include the one of section 2.1", () => {
    expect(summary("s4-section-2-1.yaml")).toEqual({
      dialect: "toolbox",
      servers: [
        ["customers", "streamable-http", "dynamic", true],
        ["internal-tools", "streamable-http", "strict", true],
      ],
      tools: [
        ["sum_numbers", 5, 30_000],
        ["multiply_numbers", 5, 30_000],
        ["get_customer", 10, 60_000],
      ],
    });
  });

  it("S4.2 S4.10 include one from before modes, which no longer loads", () => {
    expect(summary("s4-before-mode.yaml")).toEqual([
      "s4-before-mode.yaml:10:9\nMCP server 'customers' is missing required field 'mode'. Use 'strict' (every tool must be in myai.toolbox.tools) or 'dynamic' (other tools take default_tool_config)",
    ]);
  });

  it("S2.6 include the gateway's", () => {
    const parsed = load("s2-gateway.yaml");
    expect(parsed.kind === "ok" && parsed.config.servers.map(({ key, launch }) => [key, launch])).toEqual([
      [
        "github",
        { transport: "stdio", command: "uvx", args: ["mcp-server-github"], env: { GITHUB_TOKEN: "token-of-github" } },
      ],
      ["myapi", { transport: "http", url: "http://localhost:8080/mcp", headers: {}, authentication: { type: "none" } }],
    ]);
  });

  it("include one with models, GPTs and custom tools", () => {
    const parsed = load("../assistants.yaml", { OPENAI_API_KEY: "key-of-openai" });
    if (parsed.kind === "invalid") throw new Error(parsed.problems.map(formatConfigProblem).join("\n"));
    const { servers, models = [], gpts = [] } = parsed.config;
    expect({
      warnings: parsed.warnings,
      servers: servers.map(({ key, launch }) => [key, launch.transport]),
      models: models.map(({ name, vendor, isDefault }) => [name, vendor, isDefault]),
      gpts: gpts.map(({ key, model, approval }) => [key, model, approval]),
    }).toEqual({
      warnings: [],
      servers: [
        ["files", "stdio"],
        ["custom", "custom"],
      ],
      models: [
        ["fast", "openai", true],
        ["careful", "anthropic", false],
        ["home", "openai-compatible", false],
      ],
      gpts: [
        ["librarian", "careful", "trusted-only"],
        ["forecaster", undefined, "always-ask"],
      ],
    });
  });

  it("all load without a warning, except for the two that should warn", () => {
    const loud = readdirSync(fileURLToPath(FOLDER)).filter((file) => {
      const parsed = load(file);
      return parsed.kind === "invalid" || parsed.warnings.length > 0;
    });
    expect(loud.sort()).toEqual(["s4-before-mode.yaml", "zed-settings.json"]);
  });
});
