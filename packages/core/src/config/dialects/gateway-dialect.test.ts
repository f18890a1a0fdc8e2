import { describe, expect, it } from "vitest";
import { parseConfig } from "../parse-config.ts";

function parse(entry: string) {
  return parseConfig(`tools: {mcp_servers: {a: ${entry}}}`, { file: "bot.yaml", env: {} });
}

function problemsOf(entry: string): string[] {
  const parsed = parse(entry);
  return parsed.kind === "ok" ? [] : parsed.problems.map(({ message }) => message);
}

describe("the gateway dialect", () => {
  it("S2.5 defaults to stdio, and accepts null for env and cwd and empty texts for the rest", () => {
    const parsed = parse("{command: uvx, url: '', args: [], env: null, cwd: null}");
    expect(parsed).toMatchObject({
      kind: "ok",
      dialect: "gateway",
      config: {
        toolbox: { maxConcurrent: 10 },
        servers: [
          {
            scope: "agent",
            key: "a",
            launch: { transport: "stdio", command: "uvx", args: [], env: {} },
            required: false,
            retryAttempts: 0,
            timeoutMs: 30_000,
            mode: "dynamic",
            include: "always",
          },
        ],
      },
    });
  });

  it("S2.5 reads cwd, and http with our own headers", () => {
    expect(parse("{command: x, cwd: /srv}")).toMatchObject({ config: { servers: [{ launch: { cwd: "/srv" } }] } });
    expect(parse("{transport: http, url: 'https://x/mcp', headers: {A: b}, required: true}")).toMatchObject({
      config: {
        servers: [{ required: true, launch: { transport: "http", url: "https://x/mcp", headers: { A: "b" } } }],
      },
    });
  });

  it.each([
    ["{transport: sse, url: 'https://x'}", "Unknown transport: sse. Use one of: stdio, http"],
    ["{}", "MCP server 'a' uses transport 'stdio' but is missing required field 'command'"],
    ["{transport: http}", "MCP server 'a' uses transport 'http' but is missing required field 'url'"],
    ["{command: x, arg: []}", "Unknown key 'arg'. Did you mean 'args'?"],
  ])("S2.12 refuses %s, since a wrong configuration is never skipped", (entry, problem) => {
    expect(problemsOf(entry)).toEqual([problem]);
  });

  it("reads our own 'toolbox' beside it, and checks it like that of our own file", () => {
    const file = (toolbox: string) =>
      parseConfig(`tools: {mcp_servers: {a: {command: x}}}\ntoolbox: ${toolbox}`, { file: "bot.yaml", env: {} });
    expect(file("{collisions: hide, tools: [{name: t, server: a}]}")).toMatchObject({
      kind: "ok",
      dialect: "gateway",
      config: { servers: [{ key: "a" }], toolbox: { collisions: "hide", tools: [{ name: "t", server: "a" }] } },
      warnings: [],
    });
    expect(file("{collision: hide}")).toMatchObject({
      kind: "invalid",
      problems: [{ message: "Unknown key 'collision'. Did you mean 'collisions'?" }],
    });
  });

  it("ignores keys outside tools.mcp_servers, with one warning each", () => {
    const parsed = parseConfig("llm: {}\ntools: {shell: {}, mcp_servers: }", { file: "bot.yaml", env: {} });
    expect(parsed.kind === "ok" && parsed.warnings.map(({ message }) => message)).toEqual([
      "'llm' is ignored: only 'tools' is read from this file",
      "'tools.shell' is ignored: only 'tools.mcp_servers' is read from this file",
    ]);
  });
});
