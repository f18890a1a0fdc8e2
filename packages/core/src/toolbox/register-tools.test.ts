import { describe, expect, it } from "vitest";
import type { ServerDefinition } from "../domain/server.ts";
import type { ToolboxSettings, ToolListing } from "../domain/tool.ts";
import { testDefinition, testSettings } from "../testing/test-definition.ts";
import { type RegisteringServer, registerTools } from "./register-tools.ts";

function listing(...names: string[]): ToolListing {
  return {
    tools: names.map((name) => ({ name, description: "", inputSchema: { type: "object" }, raw: { name } })),
    quarantined: [],
  };
}

/** `known`: the names of the last start; `before`: names of earlier ones. */
function server(
  changes: Partial<ServerDefinition>,
  names: string[] | undefined,
  known?: string[],
  before: string[] = [],
): RegisteringServer {
  return {
    definition: testDefinition(changes.key ?? "customers", changes),
    listing: names === undefined ? undefined : listing(...names),
    knownNames: known === undefined ? undefined : new Set(known),
    namesEverKnown: new Set([...(known ?? []), ...before]),
  };
}

const dynamic = { mode: "dynamic", defaultToolConfig: { maxInstances: 7, timeoutMs: 60_000 } } as const;
const strict = { mode: "strict" } as const;

function register(settings: Partial<ToolboxSettings>, ...servers: RegisteringServer[]) {
  const { candidates, notices, violations, hidden } = registerTools(testSettings(settings), servers);
  return {
    names: candidates.map(({ ref }) => ref.name),
    limits: Object.fromEntries(candidates.map(({ ref, limits }) => [ref.name, limits])),
    lines: notices.map(({ level, text }) => `${level} ${text}`),
    violations: violations.map(({ text }) => text),
    hidden: hidden.map(({ ref, reason }) => `${ref.name}: ${reason.kind}`),
    candidates,
  };
}

describe("strict servers", () => {
  it("S4.12 register configured tools with their explicit configuration (S4.25)", () => {
    const seen = register({ tools: [{ name: "a", maxInstances: 2 }] }, server(strict, ["a"]));
    expect(seen.limits).toEqual({ a: { maxInstances: 2, timeoutMs: 30_000 } });
    expect(seen.lines).toEqual([
      "debug Tool 'a' registered with explicit configuration: {max_instances: 2, timeout: PT30S}",
    ]);
    expect(seen.violations).toEqual([]);
  });

  it("S4.17 S4.31 an unconfigured tool is a violation with the full text, and all are reported at once (T4.7)", () => {
    const seen = register(
      { tools: [{ name: "a" }, { name: "b" }], writtenAs: "myai.toolbox" },
      server({ ...strict, key: "ext" }, ["a", "b", "c", "d"]),
    );
    expect(seen.names).toEqual(["a", "b"]);
    expect(seen.violations).toHaveLength(2);
    expect(seen.violations[0]).toBe(
      `Tool 'c' from MCP server 'ext' is not configured in the toolbox.

MCP Server: ext
Mode: strict
Missing Tool: c

Configured tools: [a, b]

To resolve:
1. Add the tool to myai.toolbox.tools in your configuration, OR
2. Change the MCP server mode to 'dynamic' and provide default_tool_config`,
    );
    expect(seen.hidden).toEqual(["c: unconfigured", "d: unconfigured"]);
  });

  it("a violation names the setting as the file calls it", () => {
    const native = register({ tools: [{ name: "a" }] }, server({ ...strict, key: "ext" }, ["b"]));
    expect(native.violations[0]).toContain("1. Add the tool to toolbox.tools in your configuration, OR");
  });

  it("S4.3 ignore default_tool_config", () => {
    const seen = register(
      { tools: [{ name: "a" }] },
      server({ ...strict, defaultToolConfig: { maxInstances: 99, timeoutMs: 1 } }, ["a"]),
    );
    expect(seen.limits).toEqual({ a: { maxInstances: 5, timeoutMs: 30_000 } });
  });

  it("S4.31 a configured tool that is gone is a warning and is not registered", () => {
    const seen = register({ tools: [{ name: "a" }, { name: "gone" }] }, server({ ...strict, key: "ext" }, ["a"]));
    expect(seen.names).toEqual(["a"]);
    expect(seen.lines).toContain("warn Tool 'gone' was configured but is no longer available from MCP server 'ext'");
  });

  it("D.11 the server's own timeout comes before the built-in 30 s", () => {
    const seen = register({ tools: [{ name: "a" }] }, server({ ...strict, timeoutMs: 9_000 }, ["a"]));
    expect(seen.limits.a?.timeoutMs).toBe(9_000);
  });
});

describe("dynamic servers", () => {
  it("S4.13 S4.21 give unconfigured tools the default configuration and log it", () => {
    const seen = register({}, server(dynamic, ["a"]));
    expect(seen.limits).toEqual({ a: { maxInstances: 7, timeoutMs: 60_000 } });
    expect(seen.lines).toEqual([
      "info Tool 'a' from MCP 'customers' not explicitly configured, using default configuration",
    ]);
  });

  it("S4.15 explicit settings override all", () => {
    const seen = register({ tools: [{ name: "a", maxInstances: 1, timeoutMs: 2_000 }] }, server(dynamic, ["a"]));
    expect(seen.limits).toEqual({ a: { maxInstances: 1, timeoutMs: 2_000 } });
  });

  it("S4.15 S4.26 T4.3 explicit settings override some, the rest comes from default_tool_config", () => {
    const seen = register({ tools: [{ name: "a", maxInstances: 1 }] }, server(dynamic, ["a"]));
    expect(seen.limits).toEqual({ a: { maxInstances: 1, timeoutMs: 60_000 } });
    expect(seen.lines).toEqual([
      "debug Tool 'a' configuration merged: explicit={max_instances: 1}, default={max_instances: 7, timeout: PT1M}, final={max_instances: 1, timeout: PT1M}",
    ]);
  });

  it("S4.15 an entry that sets no limits takes all defaults", () => {
    expect(register({ tools: [{ name: "a" }] }, server(dynamic, ["a"])).limits.a).toEqual({
      maxInstances: 7,
      timeoutMs: 60_000,
    });
  });

  it("S4.22 S4.32 a tool that an existing inventory lacks is new: one line, not both", () => {
    const seen = register({}, server(dynamic, ["a", "b"], ["a"]));
    expect(seen.lines).toEqual([
      "info Tool 'a' from MCP 'customers' not explicitly configured, using default configuration",
      "info New tool 'b' discovered from MCP server 'customers', registering with default configuration",
    ]);
  });

  it("S4.14 S4.24 a tool that the inventory has and the server no longer offers is a warning", () => {
    const seen = register({}, server(dynamic, ["a"], ["a", "old"]));
    expect(seen.lines).toContain(
      "warn Tool 'old' was configured but is no longer available from MCP server 'customers'",
    );
  });

  it("S4.35 100 tools, 5 of them configured", () => {
    const names = Array.from({ length: 100 }, (_, index) => `tool_${index}`);
    const tools = names.slice(0, 5).map((name) => ({ name, maxInstances: 1 }));
    const seen = register({ tools }, server(dynamic, names));
    expect(seen.names).toEqual(names);
    expect(Object.values(seen.limits).filter(({ maxInstances }) => maxInstances === 1)).toHaveLength(5);
    expect(seen.lines.filter((line) => line.startsWith("info"))).toHaveLength(95);
  });

  it("S4.19 S4.35 a server without tools is a warning", () => {
    const launch = {
      transport: "http",
      url: "http://localhost:1/mcp?key=secret",
      headers: {},
      authentication: { type: "none" },
    } as const;
    expect(register({}, server({ ...dynamic, launch }, [])).lines).toEqual([
      "warn MCP server 'customers' at http://localhost:1/mcp returned no tools",
    ]);
  });

  it("S4.35 switching strict to dynamic registers what was refused before", () => {
    expect(register({}, server(strict, ["a"])).violations).toHaveLength(1);
    expect(register({}, server(dynamic, ["a"])).names).toEqual(["a"]);
  });
});

describe("lists, bindings and overrides", () => {
  it("deny wins over allow, and a denied tool is no strict violation", () => {
    const seen = register(
      {},
      server({ ...strict, allow: ["read_*"], deny: ["read_secret"] }, ["read_secret", "write"]),
    );
    expect(seen.violations).toEqual([]);
    expect(seen.hidden).toEqual(["read_secret: not-allowed", "write: not-allowed"]);
  });

  it("an allow list lets only the named tools in", () => {
    expect(register({}, server({ ...dynamic, allow: ["read_*"] }, ["read_a", "write_a"])).names).toEqual(["read_a"]);
  });

  it("D.19 an entry bound to a server applies there alone, and wins over a general one", () => {
    const tools = [
      { name: "a", maxInstances: 1 },
      { name: "a", server: "two", maxInstances: 2 },
    ];
    const seen = registerTools(testSettings({ tools }), [
      server({ ...dynamic, key: "one" }, ["a"]),
      server({ ...dynamic, key: "two" }, ["a"]),
    ]);
    expect(seen.candidates.map(({ limits }) => limits.maxInstances)).toEqual([1, 2]);
  });

  it("D.19 a bound entry whose server lacks the tool leads to a warning about that server", () => {
    const servers = [server({ ...dynamic, key: "one" }, ["a"]), server({ ...dynamic, key: "two" }, ["a"])];
    expect(register({ tools: [{ name: "b", server: "two" }] }, ...servers).lines).toContain(
      "warn Tool 'b' was configured but is no longer available from MCP server 'two'",
    );
  });

  it("D.19 an unbound name that no server provides is one warning of its own if there are several servers", () => {
    const servers = [server({ ...dynamic, key: "one" }, ["a"]), server({ ...dynamic, key: "two" }, ["a"])];
    expect(register({ tools: [{ name: "b" }] }, ...servers).lines).toContain(
      "warn Tool 'b' is configured but no server or local tool provides it",
    );
  });

  it("does not report a name as missing while a server that may have it is down", () => {
    const servers = [server({ ...dynamic, key: "one" }, ["a"]), server({ ...dynamic, key: "two" }, undefined)];
    expect(register({ tools: [{ name: "b" }] }, ...servers).lines.filter((line) => line.startsWith("warn"))).toEqual(
      [],
    );
  });

  it("D.19 a missing unbound name is blamed on the server whose inventory has it", () => {
    const servers = [server({ ...dynamic, key: "one" }, ["a"], ["a", "b"]), server({ ...dynamic, key: "two" }, ["a"])];
    expect(register({ tools: [{ name: "b" }] }, ...servers).lines.filter((line) => line.startsWith("warn"))).toEqual([
      "warn Tool 'b' was configured but is no longer available from MCP server 'one'",
    ]);
  });

  it("S4.39 a tool's own mode overrides its server's for the limits", () => {
    const tools = [{ name: "a", mode: "strict" as const }, { name: "b" }];
    const seen = register({ tools }, server(dynamic, ["a", "b"]));
    expect(seen.limits.a).toEqual({ maxInstances: 5, timeoutMs: 30_000 });
    expect(seen.limits.b).toEqual({ maxInstances: 7, timeoutMs: 60_000 });
  });

  it("D.10 session servers never consult toolbox.tools", () => {
    const seen = register({ tools: [{ name: "a", maxInstances: 1 }] }, server({ scope: "session" }, ["a"]));
    expect(seen.limits.a).toEqual({ maxInstances: 5, timeoutMs: 30_000 });
  });

  it("approval and include come from the entry, then from the server", () => {
    const tools = [{ name: "a", approval: "ask" as const, include: "manual" as const }, { name: "b" }];
    const seen = register({ tools }, server({ approval: "deny", include: "agent" }, ["a", "b"]));
    expect(seen.candidates.map(({ approval, include }) => [approval, include])).toEqual([
      ["ask", "manual"],
      ["deny", "agent"],
    ]);
  });

  it("D.14 a quarantined tool is hidden with its reason and warned about", () => {
    const quarantined = [{ name: "bad", reason: "no schema" }];
    const definition = testDefinition("s");
    const seen = registerTools(testSettings(), [
      { definition, listing: { ...listing("a"), quarantined }, knownNames: undefined, namesEverKnown: new Set() },
    ]);
    expect(seen.hidden.map(({ ref }) => ref.name)).toEqual(["bad"]);
    expect(seen.notices.map(({ text }) => text)).toContain("Tool 'bad' from MCP server 's' is set aside: no schema");
  });
});

describe("S4.14 a configured tool that is gone", () => {
  const GONE = (tool: string, of: string) =>
    `Tool '${tool}' was configured but is no longer available from MCP server '${of}'`;
  const warnings = (...given: Parameters<typeof register>) =>
    registerTools(testSettings(given[0]), given.slice(1) as RegisteringServer[])
      .notices.filter(({ level }) => level === "warn")
      .map(({ text }) => text);

  it("is told at every start, of the server that had it, however long ago", () => {
    const one = () => server({ ...dynamic, key: "one" }, ["a"], ["a"], ["old"]);
    const two = () => server({ ...dynamic, key: "two" }, ["b"], ["b"]);
    expect(warnings({ tools: [{ name: "old" }] }, one(), two())).toEqual([GONE("old", "one")]);
    expect(warnings({ tools: [{ name: "old", server: "one" }] }, one(), two())).toEqual([GONE("old", "one")]);
  });

  it("is told even if another server is down, but not if the server that had it is", () => {
    const down = () => server({ ...dynamic, key: "down" }, undefined);
    const one = server({ ...dynamic, key: "one" }, ["a"], ["a"], ["old"]);
    expect(warnings({ tools: [{ name: "old" }] }, one, down())).toEqual([GONE("old", "one")]);
    const other = server({ ...dynamic, key: "other" }, undefined, ["old"]);
    expect(warnings({ tools: [{ name: "old" }] }, other, server({ ...dynamic, key: "one" }, ["a"]))).toEqual([]);
  });

  it("is told no more once its entry is gone, or another server offers it", () => {
    const one = () => server({ ...dynamic, key: "one" }, ["a"], ["a"], ["old"]);
    expect(warnings({}, one())).toEqual([]);
    expect(warnings({ tools: [{ name: "old" }] }, one(), server({ ...dynamic, key: "two" }, ["old"]))).toEqual([]);
  });

  it("is not announced as new when it comes back", () => {
    const back = server(dynamic, ["a", "old"], ["a"], ["old"]);
    const texts = registerTools(testSettings({}), [back]).notices.map(({ text }) => text);
    expect(texts).not.toContainEqual(expect.stringContaining("New tool 'old'"));
  });
});

describe("local tools", () => {
  const local = (names: string[]) =>
    server({ scope: "local", key: "local", launch: { transport: "local" }, mode: "strict", allow: names }, names);

  it("S4.11 register when they are configured", () => {
    const seen = register({ tools: [{ name: "sum_numbers", maxInstances: 3 }] }, local(["sum_numbers"]));
    expect(seen.limits).toEqual({ sum_numbers: { maxInstances: 3, timeoutMs: 30_000 } });
  });

  it("S4.11 S4.31 are an error when they are not", () => {
    expect(
      register({ tools: [{ name: "x" }, { name: "y" }], writtenAs: "myai.toolbox" }, local(["sum_numbers"])).violations,
    ).toEqual([
      `Tool 'sum_numbers' (local tool) is not configured in the toolbox.

Local tools must always be explicitly configured in myai.toolbox.tools.

Configured tools: [x, y]`,
    ]);
  });
});
