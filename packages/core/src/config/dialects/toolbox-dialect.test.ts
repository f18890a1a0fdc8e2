import { describe, expect, it } from "vitest";
import { DEFAULT_CALL_LOG } from "../../domain/limits.ts";
import { UNGOVERNED } from "../../domain/server.ts";
import { formatConfigProblem } from "../document/config-problem.ts";
import { parseConfig } from "../parse-config.ts";

function parse(toolbox: string, env: Record<string, string> = {}) {
  return parseConfig(`myai: {toolbox: ${toolbox}}`, { file: "app.yaml", env });
}

function problemsOf(toolbox: string): string[] {
  const parsed = parse(toolbox);
  return parsed.kind === "ok" ? [] : parsed.problems.map(({ message }) => message);
}

const START = "name: customers, url: 'http://localhost:1/mcp', transport: streamable_http";
const MODE_MISSING =
  "MCP server 'customers' is missing required field 'mode'. Use 'strict' (every tool must be in myai.toolbox.tools) or 'dynamic' (other tools take default_tool_config)";
const DEFAULTS_MISSING =
  "MCP server 'customers' is configured with mode='dynamic' but missing required field 'default_tool_config'";

describe("the toolbox dialect", () => {
  it("S4.4 reads servers and tools; D.1 servers are required", () => {
    const parsed = parse(`{
      max_concurrent: 7,
      tools: [{name: get_customer, max_instances: 10, timeout: P0DT0H1M0S, mcp: customers}, {name: other}],
      mcps: [{${START}, mode: dynamic, default_tool_config: {max_instances: 5, timeout: PT30S}, prompts: [greet]}] }`);
    expect(parsed).toEqual({
      kind: "ok",
      dialect: "toolbox",
      calls: DEFAULT_CALL_LOG,
      warnings: [],
      config: {
        placeOf: expect.any(Function),
        toolbox: {
          maxConcurrent: 7,
          maxWaitMs: 30_000,
          local: [],
          collisions: "hide",
          keepsNames: false,
          writtenAs: "myai.toolbox",
          localCollision: "local_wins",
          search: { topK: 20, topN: 20, includeScore: 0.7 },
          tools: [
            { name: "get_customer", server: "customers", maxInstances: 10, timeoutMs: 60_000 },
            { name: "other" },
          ],
        },
        servers: [
          {
            scope: "agent",
            key: "customers",
            name: "customers",
            launch: {
              transport: "streamable-http",
              url: "http://localhost:1/mcp",
              headers: {},
              authentication: { type: "none" },
            },
            ...UNGOVERNED,
            defaultToolConfig: { maxInstances: 5, timeoutMs: 30_000 },
            required: true,
            prompts: ["greet"],
          },
        ],
      },
    });
  });

  it("accepts our own fields as well", () => {
    const parsed = parse(
      `{local: [sum_numbers], max_wait: PT1S, mcps: [{${START}, mode: strict, required: false, deny: [x]}]}`,
    );
    expect(parsed).toMatchObject({
      kind: "ok",
      config: { toolbox: { local: ["sum_numbers"], maxWaitMs: 1_000 }, servers: [{ required: false, deny: ["x"] }] },
    });
  });

  it("S4.39 accepts tool_allowlist and tool_denylist, which mean allow and deny", () => {
    const parsed = parse(
      `{mcps: [{${START}, mode: strict, tool_allowlist: [read_*, list], tool_denylist: [read_all]}]}`,
    );
    expect(parsed).toMatchObject({ config: { servers: [{ allow: ["read_*", "list"], deny: ["read_all"] }] } });
    expect(problemsOf(`{mcps: [{${START}, mode: strict, allow: [a], tool_allowlist: [b]}]}`)).toEqual([
      "MCP server 'customers' has both 'allow' and 'tool_allowlist', which mean the same; keep one",
    ]);
    expect(problemsOf(`{mcps: [{${START}, mode: strict, deny: [a], tool_denylist: []}]}`)).toEqual([
      "MCP server 'customers' has both 'deny' and 'tool_denylist', which mean the same; keep one",
    ]);
  });

  it.each([
    ["{tools: [{name: multiply_numbers}, {name: x}, {name: sum_numbers}]}", ["sum_numbers", "multiply_numbers"]],
    ["{tools: [{name: sum_numbers, mcp: local}]}", ["sum_numbers"]],
    [`{tools: [{name: sum_numbers, mcp: customers}], mcps: [{${START}, mode: strict}]}`, []],
    ["{local: [], tools: [{name: sum_numbers}]}", []],
    ["{local: [current_time], tools: [{name: sum_numbers}]}", ["current_time"]],
  ])("S4.10 enables the local tools that are listed, unless local says otherwise: %s", (toolbox, local) => {
    expect(parse(toolbox)).toMatchObject({ config: { toolbox: { local } } });
  });

  it("S4.30 accepts strict without default_tool_config", () => {
    expect(parse(`{mcps: [{${START}, mode: strict}]}`)).toMatchObject({ config: { servers: [{ mode: "strict" }] } });
  });

  it("S4.30 accepts dynamic with default_tool_config, which has no name (T4.2)", () => {
    const parsed = parse(`{mcps: [{${START}, mode: dynamic, default_tool_config: {timeout: '00:00:10'}}]}`);
    expect(parsed).toMatchObject({ config: { servers: [{ defaultToolConfig: { timeoutMs: 10_000 } }] } });
  });

  it("S4.30 accepts strict with default_tool_config and ignores it", () => {
    const parsed = parse(`{mcps: [{${START}, mode: strict, default_tool_config: {max_instances: 5}}]}`);
    expect(parsed.kind === "ok" && parsed.config.servers[0]?.defaultToolConfig).toEqual({});
  });

  it.each(["mode: dynamic", "mode: dynamic, default_tool_config: null"])("S4.9 T4.1 refuses %s", (fields) => {
    expect(problemsOf(`{mcps: [{${START}, ${fields}}]}`)).toEqual([DEFAULTS_MISSING]);
  });

  it("S4.9 reports it at the entry, unescaped", () => {
    const text =
      "myai:\n  toolbox:\n    mcps:\n      - name: customers\n        url: https://x\n        transport: sse\n        mode: dynamic\n";
    const parsed = parseConfig(text, { file: "app.yaml", env: {} });
    expect(parsed.kind === "invalid" && parsed.problems.map(formatConfigProblem)).toEqual([
      `app.yaml:4:9\n${DEFAULTS_MISSING}`,
    ]);
  });

  it("does not report defaults as missing if they are there but wrong", () => {
    expect(problemsOf(`{mcps: [{${START}, mode: dynamic, default_tool_config: {max_instances: 0}}]}`)).toEqual([
      "default_tool_config.max_instances must be a whole number of at least 1",
    ]);
  });

  it.each([
    [`{mcps: [{${START}}]}`, MODE_MISSING],
    [`{mcps: [{${START}, mode: }]}`, MODE_MISSING],
    [`{mcps: [{${START}, mode: lax}]}`, "mode must be one of: strict, dynamic"],
    [
      `{mcps: [{${START}, mode: strict}, {${START}, mode: strict}]}`,
      "MCP server 'customers' is configured twice in 'mcps'; names must be unique",
    ],
    ["{tools: [{name: a}, {name: a}]}", "Tool 'a' is configured twice in 'tools'; remove one of the entries"],
    ["{tools: [{name: a, max_instances: 0}]}", "max_instances must be a whole number of at least 1"],
    ["{tools: [{name: a, timeout: PT0S}]}", "timeout must be longer than zero"],
    ["{tools: [{name: a, mcp: none}]}", "Tool 'a' is bound to server 'none', which is not configured."],
    [
      "{tools: [{name: a, instance_counts: 1}]}",
      "Unknown key 'instance_counts'. Known here: name, server, mcp, max_instances, timeout, approval, include, mode.",
    ],
    ["{mcp: []}", "Unknown key 'mcp'. Did you mean 'mcps'?"],
    ["{mcps: {a: 1}}", "mcps must be a list of servers"],
    ["{mcps: [a]}", "myai.toolbox.mcps[0] must be a map that describes one server"],
    ["{mcps: [{url: 'https://x', transport: sse, mode: strict}]}", "name is missing"],
    ["{mcps: [{name: a, url: 'https://x', mode: strict}]}", "MCP server 'a' is missing required field 'transport'"],
    [
      "{mcps: [{name: a, transport: sse, mode: strict}]}",
      "MCP server 'a' uses transport 'sse' but is missing required field 'url'",
    ],
    [
      "{mcps: [{name: a, url: 'https://x', transport: http, mode: strict}]}",
      "Unknown transport: http. Use one of: streamable_http, sse",
    ],
    [
      "{mcps: [{name: a, url: nowhere, transport: sse, mode: strict}]}",
      "The url of MCP server 'a' must be a full address such as https://example.com/mcp",
    ],
    [
      `{mcps: [{name: ${"n".repeat(101)}, url: 'https://x', transport: sse, mode: strict}]}`,
      "A server's name must have 1 to 100 characters and no control characters",
    ],
    ["[]", "myai.toolbox must be a map"],
  ])("S4.8 T4.4 T4.10 refuses %s", (toolbox, problem) => {
    expect(problemsOf(toolbox)).toEqual([problem]);
  });

  it("does not support local programs", () => {
    expect(problemsOf("{mcps: [{name: a, command: x, transport: stdio, mode: strict}]}")).toEqual([
      expect.stringMatching(/^Unknown key 'command'\./),
      "Unknown transport: stdio. Use one of: streamable_http, sse",
    ]);
  });

  it("reports every server's problems at once", () => {
    const second = "{name: other, url: 'https://x', transport: sse, mode: dynamic}";
    expect(problemsOf(`{mcps: [{${START}}, ${second}]}`)).toEqual([
      MODE_MISSING,
      DEFAULTS_MISSING.replace("customers", "other"),
    ]);
  });

  it("names the server whose variable is missing", () => {
    expect(
      problemsOf("{max_wait: '${W}', mcps: [{name: a, url: '${U}', transport: sse, mode: strict}, {url: '${V}'}]}"),
    ).toEqual([
      "The environment variable 'W', used by the toolbox, is not set. Set it, or give a default: ${W:-default}",
      "The environment variable 'U', used by server 'a', is not set. Set it, or give a default: ${U:-default}",
      "name is missing",
      "The environment variable 'V', used by server 'mcps[1]', is not set. Set it, or give a default: ${V:-default}",
    ]);
  });

  it("ignores keys outside myai.toolbox, with one warning each", () => {
    const text = "logging: {}\nmyai:\n  llm: {}\n  toolbox: {}\n";
    const parsed = parseConfig(text, { file: "app.yaml", env: {} });
    expect(parsed.kind === "ok" && parsed.warnings.map(formatConfigProblem)).toEqual([
      "app.yaml:1:1\n'logging' is ignored: only 'myai' is read from this file",
      "app.yaml:3:3\n'myai.llm' is ignored: only 'myai.toolbox' is read from this file",
    ]);
  });

  it("accepts an empty toolbox", () => {
    expect(parse("")).toMatchObject({ kind: "ok", config: { servers: [] } });
  });
});
