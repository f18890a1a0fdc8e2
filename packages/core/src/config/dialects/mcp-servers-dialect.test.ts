import { describe, expect, it } from "vitest";
import { formatConfigProblem } from "../document/config-problem.ts";
import { parseConfig } from "../parse-config.ts";

function parse(root: unknown, env: Record<string, string> = {}) {
  return parseConfig(JSON.stringify(root), { file: "mcp.json", env });
}

function serverOf(entry: unknown) {
  const parsed = parse({ mcpServers: { a: entry } });
  return parsed.kind === "ok" ? parsed.config.servers[0] : parsed.problems.map(({ message }) => message);
}

function warningsOf(entry: unknown): unknown {
  const parsed = parse({ mcpServers: { a: entry } });
  return parsed.kind === "ok" ? parsed.warnings.map(({ message }) => message) : parsed.problems;
}

describe("the dialect that other programs share", () => {
  it.each(["mcpServers", "context_servers"])("reads %s and ignores the rest of the file", (key) => {
    const parsed = parse({ theme: "dark", models: [1], [key]: { a: { command: "x" } } });
    expect(parsed).toMatchObject({
      kind: "ok",
      dialect: "mcp-servers",
      warnings: [],
      config: { servers: [{ key: "a", required: false }] },
    });
  });

  it("reads VS Code's servers, recognized by type or inputs", () => {
    expect(parse({ servers: { a: { type: "stdio", command: "x" } } })).toMatchObject({ dialect: "mcp-servers" });
    expect(parse({ inputs: [], servers: { a: { command: "x" } } })).toMatchObject({ dialect: "mcp-servers" });
    expect(parse({ servers: { a: { command: "x" } } })).toMatchObject({ dialect: "native" });
  });

  it("reads VS Code's ${env:VAR}", () => {
    const parsed = parse({ servers: { a: { type: "http", url: "https://${env:HOST}/mcp" } } }, { HOST: "example.com" });
    expect(parsed).toMatchObject({ config: { servers: [{ launch: { url: "https://example.com/mcp" } }] } });
  });

  it.each(["mcpServers", "context_servers", "servers"])("F8 has the value of a variable redacted: %s", (key) => {
    const entries = { a: { type: "stdio", command: "x", env: { CONN: "${MYTHING}" } } };
    const parsed = parse({ [key]: entries }, { MYTHING: "tJ4x9QpLzz88" });
    expect(parsed).toMatchObject({ dialect: "mcp-servers", config: { fromEnvironment: ["tJ4x9QpLzz88"] } });
  });

  it("names the command that stores what another program would ask for", () => {
    const text = JSON.stringify({ mcpServers: { a: { command: "x", args: ["${input:token}"] } } });
    const parsed = parseConfig(text, { file: "mcp.json", env: {}, advice: { storeSecret: (name) => `keep ${name}` } });
    expect(parsed).toMatchObject({ problems: [{ message: expect.stringContaining("with: keep token and write") }] });
  });

  it("refuses ${input:token}, which another program would ask for, and says how to store it", () => {
    expect(serverOf({ command: "x", args: ["${input:token}"] })).toEqual([
      "Inputs (${input:…}), used by server 'a', are not asked for here. Store the value as a secret and write ${secret:token}",
    ]);
  });

  it("keeps ${secret:NAME} under every name the fields have in other programs", () => {
    expect(serverOf({ serverUrl: "https://example.com/mcp?key=${secret:k}" })).toMatchObject({
      launch: { url: "https://example.com/mcp?key=${secret:k}" },
    });
    expect(serverOf({ command: { path: "x", env: { TOKEN: "${secret:t}" } } })).toMatchObject({
      launch: { env: { TOKEN: "${secret:t}" } },
    });
    expect(serverOf({ command: { path: "${secret:t}", args: [] } })).toEqual([
      "A stored secret (${secret:…}), used by server 'a', may not stand in 'command'. It may in headers, authentication, env, args and the path or query of a server's url",
    ]);
  });

  it("reads Zed's command, and reports problems at their position in the file", () => {
    expect(serverOf({ command: { path: "npx", args: ["-y"], env: { A: "b" } } })).toMatchObject({
      launch: { transport: "stdio", command: "npx", args: ["-y"], env: { A: "b" } },
    });
    const text = '{"context_servers": {"a": {\n  "command": {"path": "npx",\n    "args": ["-y", 1]}}}}';
    const parsed = parseConfig(text, { file: "settings.json", env: {} });
    expect(
      parsed.kind === "invalid" && parsed.problems.map((problem) => [formatConfigProblem(problem), problem.path]),
    ).toEqual([
      [
        "settings.json:3:20\nargs[1] must be text; put it in quotes if it looks like something else",
        "context_servers.a.command.args[1]",
      ],
    ]);
  });

  it("leaves out servers that only an editor's extension can start", () => {
    const parsed = parse({ context_servers: { a: { source: "extension", settings: {} }, b: { command: "x" } } });
    expect(
      parsed.kind === "ok" && [
        parsed.config.servers.map(({ key }) => key),
        parsed.warnings.map(({ message }) => message),
      ],
    ).toEqual([["b"], ["MCP server 'a' is started by an editor's extension and is left out here"]]);
  });

  it.each([
    [{ type: "sse", url: "https://x" }, { launch: { transport: "sse" } }],
    [{ type: "streamableHttp", url: "https://x" }, { launch: { transport: "streamable-http" } }],
    [{ serverUrl: "https://x" }, { launch: { transport: "http", url: "https://x" } }],
    [{ httpUrl: "https://x" }, { launch: { transport: "streamable-http", url: "https://x" } }],
    [{ command: "x", disabled: true }, { enabled: false }],
    [{ command: "x", disabled: false }, { enabled: true }],
    [{ command: "x", disabled: false, enabled: false }, { enabled: false }],
    [{ command: "x", enabled: false }, { enabled: false }],
    [{ command: "x", timeout: 60_000 }, { timeoutMs: 60_000 }],
    [{ command: "x", timeout: "PT10S" }, { timeoutMs: 10_000 }],
    [{ command: "x", disabledTools: ["rm"] }, { deny: ["rm"] }],
    [{ command: "x", tools: ["*"] }, { allow: ["*"] }],
    [{ command: "x", deny: ["a"], excludeTools: ["b"] }, { deny: ["a"] }],
    [
      { command: "x", mode: "strict", required: true },
      { mode: "strict", required: true },
    ],
  ])("understands %j", (entry, expected) => {
    expect(serverOf(entry)).toMatchObject(expected);
  });

  it.each(["autoApprove", "alwaysAllow", "envFile", "trust", "gallery", "source", "settings", "icon", "dev", "oauth"])(
    "ignores %s with a warning, without looking inside",
    (key) => {
      expect(warningsOf({ command: "x", [key]: "${MISSING}" })).toEqual([
        `'${key}' of MCP server 'a' has no equivalent here and is ignored`,
      ]);
    },
  );

  it.each([
    [600_000, "300000 is used", 300_000],
    [60, "30000 is used", 30_000],
  ])("uses a timeout of %d ms as far as possible", (timeout, used, timeoutMs) => {
    const entry = { command: "x", timeout };
    expect(warningsOf(entry)).toEqual([
      `'timeout' of MCP server 'a' is outside the range 1000 to 300000 (milliseconds); ${used}`,
    ]);
    expect(serverOf(entry)).toMatchObject({ timeoutMs });
  });

  it("ignores fields of another transport with a warning", () => {
    expect(warningsOf({ url: "https://x", env: { A: "b" }, args: [] })).toEqual([
      "MCP server 'a' uses transport 'http', which has no 'env'; it is ignored",
    ]);
  });

  it.each([
    [{ comand: "x", url: "https://x" }, ["Unknown key 'comand'. Did you mean 'command'?"]],
    [
      { type: "websocket", url: "https://x" },
      ["Unknown transport: websocket. Use one of: stdio, http, streamable-http, sse"],
    ],
    [{ command: "x", disabled: "yes" }, ["enabled must be true or false"]],
    [{}, ["MCP server 'a' needs 'command' (a program to start) or 'url' (a server to call)"]],
    ["x", ["mcpServers.a must be a map that describes one server"]],
  ])("refuses %j", (entry, problems) => {
    expect(serverOf(entry)).toEqual(problems);
  });

  it.each(["text", [1], 5])("refuses a list of servers that is %j", (servers) => {
    const parsed = parse({ mcpServers: servers });
    expect(parsed.kind === "invalid" && parsed.problems[0]?.message).toBe(
      "mcpServers must be a map of server names to entries",
    );
  });
});
