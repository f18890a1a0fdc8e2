import { describe, expect, it } from "vitest";
import { formatConfigProblem } from "../document/config-problem.ts";
import { parseConfig } from "../parse-config.ts";

function parse(text: string) {
  return parseConfig(text, { file: "tacklebox.yaml", env: {} });
}

function problemsOf(text: string): string[] {
  const parsed = parse(text);
  return parsed.kind === "ok" ? [] : parsed.problems.map(({ message }) => message);
}

function serverOf(entry: string) {
  const parsed = parse(`servers: {a: ${entry}}`);
  return parsed.kind === "ok" ? parsed.config.servers[0] : parsed.problems;
}

describe("the native dialect", () => {
  it("D.1 D.10 D.26 gives a server all its defaults", () => {
    expect(parse("servers: {files: {command: npx, args: [-y, x]}}")).toEqual({
      kind: "ok",
      dialect: "native",
      warnings: [],
      calls: {
        keepMs: 90 * 24 * 60 * 60 * 1_000,
        keepAtMost: 100_000,
        keepBytes: 1024 ** 3,
        keepResultBytes: 256 * 1024,
        durability: "full",
      },
      config: {
        placeOf: expect.any(Function),
        toolbox: {
          maxConcurrent: 10,
          maxWaitMs: 30_000,
          local: [],
          tools: [],
          collisions: "qualify",
          keepsNames: true,
          writtenAs: "toolbox",
          localCollision: "local_wins",
          search: { topK: 20, topN: 20, includeScore: 0.7 },
        },
        servers: [
          {
            scope: "agent",
            key: "files",
            name: "files",
            launch: { transport: "stdio", command: "npx", args: ["-y", "x"], env: {} },
            protocol: "auto",
            mode: "dynamic",
            defaultToolConfig: {},
            required: false,
            enabled: true,
            retryAttempts: 0,
            timeoutMs: 30_000,
            reconnect: "auto",
            include: "always",
            pin: "warn",
            allow: [],
            deny: [],
            prompts: [],
          },
        ],
        models: [],
        gpts: [],
      },
    });
  });

  it("reads every field", () => {
    const entry = `{
      transport: streamable_http, url: "https://example.com/mcp", headers: {X-A: b}, authentication: {type: api-key, key: k},
      description: d, protocol: "2026-07-28", mode: dynamic, default_tool_config: {max_instances: 2}, required: true,
      enabled: false, retry_attempts: 5, timeout: PT5M, reconnect: never, max_concurrent: 3, rate: {per_minute: 60, burst: 10},
      include: agent, approval: ask, pin: block, allow: [a*], deny: [ab], prompts: [p], allow_insecure_http: false }`;
    expect(serverOf(entry)).toEqual({
      scope: "agent",
      key: "a",
      name: "a",
      description: "d",
      launch: {
        transport: "streamable-http",
        url: "https://example.com/mcp",
        headers: { "X-A": "b" },
        authentication: { type: "api-key", key: "k", header: "x-api-key" },
      },
      protocol: "modern",
      mode: "dynamic",
      defaultToolConfig: { maxInstances: 2 },
      required: true,
      enabled: false,
      retryAttempts: 5,
      timeoutMs: 300_000,
      reconnect: "never",
      maxConcurrent: 3,
      rate: { perMinute: 60, burst: 10 },
      include: "agent",
      approval: "ask",
      pin: "block",
      allow: ["a*"],
      deny: ["ab"],
      prompts: ["p"],
    });
  });

  it("reads toolbox settings and tools, keeping only what was written (T4.3)", () => {
    const parsed = parse(`
      toolbox:
        max_concurrent: 3
        max_wait: 5
        local: [sum_numbers]
        collisions: qualify
        local_collision: last_wins
        search: {budget: 4000, top_k: 30, top_n: 5, include_score: 0.5, embeddings: e, rerank: r}
        tools:
          - { name: a, server: files, max_instances: 2, timeout: PT1M, approval: deny, include: manual, mode: strict }
          - { name: a }
          - { name: sum_numbers, server: local }
      servers: { files: { command: x } }
      models: {}
      gpts:
      $schema: https://example.com/schema.json
    `);
    expect(parsed.kind === "ok" && parsed.config.toolbox).toEqual({
      maxConcurrent: 3,
      maxWaitMs: 5_000,
      local: ["sum_numbers"],
      collisions: "qualify",
      keepsNames: true,
      writtenAs: "toolbox",
      localCollision: "last_wins",
      search: { budgetTokens: 4_000, topK: 30, topN: 5, includeScore: 0.5, embeddings: "e", rerank: "r" },
      tools: [
        {
          name: "a",
          server: "files",
          maxInstances: 2,
          timeoutMs: 60_000,
          approval: "deny",
          include: "manual",
          mode: "strict",
        },
        { name: "a" },
        { name: "sum_numbers", server: "local" },
      ],
    });
  });

  it("treats an empty value as missing", () => {
    expect(parse("servers:\ntoolbox:\n  tools:\n  local:\n").kind).toBe("ok");
    expect(serverOf("{command: x, cwd: , env: , args: , mode: , timeout: , url: ''}")).toMatchObject({
      key: "a",
      mode: "dynamic",
    });
  });

  it("S4.3 ignores default_tool_config of a strict server", () => {
    expect(serverOf("{command: x, mode: strict, default_tool_config: {max_instances: 9}}")).toMatchObject({
      mode: "strict",
      defaultToolConfig: {},
    });
  });

  it.each([
    ["stdio", "{transport: stdio, command: x}", "stdio"],
    ["http", "{transport: http, url: 'https://x'}", "http"],
    ["streamable-http", "{transport: streamable-http, url: 'https://x'}", "streamable-http"],
    ["streamableHttp", "{transport: streamableHttp, url: 'https://x'}", "streamable-http"],
    ["sse", "{transport: sse, url: 'https://x'}", "sse"],
    ["nothing but a command", "{command: x}", "stdio"],
    ["nothing but a url", "{url: 'https://x'}", "http"],
  ])("D.3 understands transport %s", (_name, entry, transport) => {
    expect(serverOf(entry)).toMatchObject({ launch: { transport } });
  });

  it.each([
    ["{transport: ftp, url: x}", "Unknown transport: ftp. Use one of: stdio, http, streamable-http, sse"],
    ["{command: x, url: 'https://x'}", "MCP server 'a' has both 'command' and 'url'; keep the one it is reached by"],
    ["{}", "MCP server 'a' needs 'command' (a program to start) or 'url' (a server to call)"],
    ["{transport: stdio}", "MCP server 'a' uses transport 'stdio' but is missing required field 'command'"],
    ["{transport: sse, url: ' '}", "MCP server 'a' uses transport 'sse' but is missing required field 'url'"],
    [
      "{command: x, headers: {A: b}}",
      "MCP server 'a' uses transport 'stdio', which has no 'headers'; remove it, or change the transport",
    ],
    [
      "{url: 'https://x', env: {A: b}}",
      "MCP server 'a' uses transport 'http', which has no 'env'; remove it, or change the transport",
    ],
    ["text", "servers.a must be a map that describes one server"],
    ["{url: 'javascript:alert(1)'}", "The url of MCP server 'a' must start with http:// or https://"],
    ["{url: 'ftp://x/y'}", "The url of MCP server 'a' must start with http:// or https://"],
    ["{url: example.com}", "The url of MCP server 'a' must be a full address such as https://example.com/mcp"],
    ['{url: "https://x/\\ny"}', "The url of MCP server 'a' must be a full address such as https://example.com/mcp"],
    [
      "{url: 'https://me:pw@x'}",
      "The url of MCP server 'a' must not contain a user name or password; use 'authentication' or 'headers'",
    ],
    ["{command: x, env: {'A=B': c}}", "env.A=B is not a valid name of an environment variable"],
    ["{command: x, env: {A: 1}}", "env.A must be text; put it in quotes if it looks like something else"],
    ["{command: x, env: [A]}", "env must be a map of names to strings"],
    ['{command: "x\\0"}', "command must not contain a NUL character"],
    ["{command: x, args: [1]}", "args[0] must be text; put it in quotes if it looks like something else"],
    ["{command: x, args: -y}", "args must be a list of strings"],
    ["{url: 'https://x', headers: {'A B': c}}", "headers.A B is not a valid header name"],
    ["{url: 'https://x', headers: A}", "headers must be a map of header names to strings"],
    [
      '{url: "https://x", headers: {A: "b\\r\\nC: d"}}',
      "headers.A must be one line of plain characters: line breaks and special characters cannot be sent in a header",
    ],
    [
      "{url: 'https://x', authentication: bearer}",
      "authentication must be a map with a 'type': none, bearer, api-key or basic",
    ],
    [
      "{url: 'https://x', authentication: {type: oauth}}",
      "authentication.type must be one of: none, bearer, api-key, basic",
    ],
    ["{url: 'https://x', authentication: {type: bearer}}", "authentication.token is missing"],
    ["{url: 'https://x', authentication: {type: bearer, token: ''}}", "authentication.token must not be empty"],
    [
      "{url: 'https://x', authentication: {type: api-key, key: k, header: 'a b'}}",
      "authentication.header is not a valid header name",
    ],
    [
      "{url: 'https://x', authentication: {type: basic, username: 'a:b', password: c}}",
      "authentication.username must not contain a colon",
    ],
    [
      "{command: x, authentication: {type: bearer, token: abc}}",
      "MCP server 'a' uses transport 'stdio', which has no 'authentication'; remove it, or change the transport",
    ],
    ["{command: x, mode: loose}", "mode must be one of: strict, dynamic"],
    ["{command: x, protocol: '2024-11-05'}", "protocol must be one of: auto, legacy, modern, 2026-07-28"],
    ["{command: x, enabled: 1}", "enabled must be true or false"],
    ["{command: x, retry_attempts: 6}", "retry_attempts must be a whole number from 0 to 5"],
    ["{command: x, max_concurrent: 0}", "max_concurrent must be a whole number of at least 1"],
    ["{command: x, max_concurrent: 1.5}", "max_concurrent must be a whole number of at least 1"],
    ["{command: x, timeout: 0.5}", "timeout must be from 1 second to 5 minutes (PT1S to PT5M)"],
    ["{command: x, timeout: PT6M}", "timeout must be from 1 second to 5 minutes (PT1S to PT5M)"],
    ["{command: x, rate: {per_minute: 1}}", "rate.burst is missing"],
    ["{command: x, rate: 5}", "rate must be a map with per_minute and burst"],
    ["{command: x, allow: [1]}", "allow[0] must be text; put it in quotes if it looks like something else"],
    ["{command: x, deny: a}", "deny must be a list of names"],
    [
      "{command: x, default_tool_config: {max_instances: 0}}",
      "default_tool_config.max_instances must be a whole number of at least 1",
    ],
    ["{command: x, default_tool_config: 5}", "default_tool_config must be a map with max_instances and timeout"],
    ["{command: x, default_tool_config: {name: y}}", "Unknown key 'name'. Known here: max_instances, timeout."],
    ["{comand: x, url: 'https://x'}", "Unknown key 'comand'. Did you mean 'command'?"],
    ["{command: x, retryAttempts: 1}", "Unknown key 'retryAttempts'. Did you mean 'retry_attempts'?"],
  ])("T1.11 refuses %s", (entry, problem) => {
    expect(problemsOf(`servers: {a: ${entry}}`)).toEqual([problem]);
  });

  it.each([
    ["toolbox: {tools: [{name: a, max_instances: 0}]}", "max_instances must be a whole number of at least 1"],
    ["toolbox: {tools: [{name: a, max_instances: -1}]}", "max_instances must be a whole number of at least 1"],
    ["toolbox: {search: {budget: 100}}", "search.budget must be a whole number of at least 500"],
    ["toolbox: {search: {top_k: 0}}", "search.top_k must be a whole number from 1 to 100"],
    ["toolbox: {search: {include_score: 2}}", "search.include_score must be a number from 0 to 1"],
    ["toolbox: {search: {includescore: 1}}", "Unknown key 'includescore'. Did you mean 'include_score'?"],
    ["toolbox: {search: 5}", "search must be a map with budget, top_k, top_n, include_score, embeddings and rerank"],
    ["toolbox: {tools: [{name: a, timeout: 0}]}", "timeout must be longer than zero"],
    ["toolbox: {tools: [{max_instances: 1}]}", "name is missing"],
    ["toolbox: {tools: [{name: ''}]}", "name must not be empty"],
    ["toolbox: {tools: [a]}", "toolbox.tools[0] must be a map with the name of a tool and its limits"],
    ["toolbox: {tools: {a: 1}}", "tools must be a list of tools"],
    ["toolbox: [a]", "toolbox must be a map"],
    ["toolbox: {local: [sum_numbers, current_time, sum_numbers]}", "'sum_numbers' is in 'local' twice; remove one"],
    ["toolbox: {local: [sum_nubmers]}", "'sum_nubmers' is not a local tool. Did you mean 'sum_numbers'?"],
    [
      "toolbox: {local: [guess]}",
      "'guess' is not a local tool. Local tools: sum_numbers, multiply_numbers, current_time",
    ],
    ["toolbox: {tools: [{nam: a}]}", "Unknown key 'nam'. Did you mean 'name'?"],
    ["toolbox: {tools: [{name: a}, {name: a}]}", "Tool 'a' is configured twice in 'tools'; remove one of the entries"],
    [
      "servers: {s: {command: x}}\ntoolbox: {tools: [{name: a, server: s}, {name: a, mcp: s}]}",
      "Tool 'a' is configured twice in 'tools' for server 's'; remove one of the entries",
    ],
    [
      "servers: {files: {command: x}}\ntoolbox: {tools: [{name: a, server: fils}]}",
      "Tool 'a' is bound to server 'fils', which is not configured. Did you mean 'files'?",
    ],
    [
      "servers: {x: {command: x}, y: {command: y}}\ntoolbox: {tools: [{name: a, server: x, mcp: y}]}",
      "Tool 'a' names one server as 'server' and another as 'mcp'; keep one",
    ],
    ["servers: [a]", "servers must be a map of server names to entries"],
    ["servers: {}\nmodels: []", "models must be a map"],
    ["servers: {}\ntolbox: {}", "Unknown key 'tolbox'. Did you mean 'toolbox'?"],
    ["servers: {'': {command: x}}", "A server's name must have 1 to 100 characters and no control characters"],
    [
      `servers: {${"n".repeat(101)}: {command: x}}`,
      "A server's name must have 1 to 100 characters and no control characters",
    ],
    ['servers: {"a\\e[2J": {command: x}}', "A server's name must have 1 to 100 characters and no control characters"],
  ])("S4.8 refuses %s", (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  it("does not report the intended key of a misspelt one as missing, unless that one is there as well", () => {
    expect(problemsOf("servers: {s: {comand: x}}")).toEqual(["Unknown key 'comand'. Did you mean 'command'?"]);
    expect(problemsOf("servers: {s: {comand: x, command: 5}}")).toEqual([
      "Unknown key 'comand'. Did you mean 'command'?",
      "command must be text; put it in quotes if it looks like something else",
    ]);
  });

  it("reports all problems at once, in the order of the file, each with its position", () => {
    const parsed = parse(`toolbox:
  max_concurrent: 0
  tools:
    - name: t
      server: files
servers:
  files:
    transport: ftp
    max_concurent: 1
    timeout: "30"
  other:
    mode: none
`);
    expect(
      parsed.kind === "invalid" && parsed.problems.map((problem) => [formatConfigProblem(problem), problem.path]),
    ).toEqual([
      ["tacklebox.yaml:2:19\nmax_concurrent must be a whole number of at least 1", "toolbox.max_concurrent"],
      [
        "tacklebox.yaml:8:16\nUnknown transport: ftp. Use one of: stdio, http, streamable-http, sse",
        "servers.files.transport",
      ],
      [
        "tacklebox.yaml:9:5\nUnknown key 'max_concurent'. Did you mean 'max_concurrent'?",
        "servers.files.max_concurent",
      ],
      [
        "tacklebox.yaml:10:14\ntimeout must be a number without quotes, or a duration such as PT30S: text needs a unit",
        "servers.files.timeout",
      ],
      [
        "tacklebox.yaml:12:5\nMCP server 'other' needs 'command' (a program to start) or 'url' (a server to call)",
        "servers.other",
      ],
      ["tacklebox.yaml:12:11\nmode must be one of: strict, dynamic", "servers.other.mode"],
    ]);
  });
});

describe("plain http", () => {
  it.each(["http://localhost:1/mcp", "http://127.0.0.1:1/mcp", "http://[::1]:1/mcp", "http://a.localhost/mcp"])(
    "D.15 takes %s with credentials, since it stays on this machine",
    (url) => {
      const parsed = parse(`servers: {a: {url: '${url}', authentication: {type: bearer, token: abcdef}}}`);
      expect(parsed.kind === "ok" && parsed.warnings).toEqual([]);
    },
  );

  it("D.15 warns about another host without credentials", () => {
    const parsed = parse("servers:\n  a:\n    url: http://customer-mcp/mcp\n    headers: { Accept: text/plain }");
    expect(parsed.kind === "ok" && parsed.warnings.map(formatConfigProblem)).toEqual([
      "tacklebox.yaml:3:10\nMCP server 'a' is reached over plain http, where others can read and change what is sent; use https if it can",
    ]);
  });

  it.each([
    ["a header", "headers: {X-Key: k}, url: 'http://example.com/'"],
    ["authentication", "authentication: {type: bearer, token: t}, url: 'http://example.com/'"],
    ["a query", "url: 'http://example.com/?api_key=k'"],
  ])("D.15 refuses another host with credentials in %s, unless that is allowed explicitly", (_where, fields) => {
    expect(problemsOf(`servers: {a: {${fields}}}`)).toEqual([
      "MCP server 'a' would receive credentials over plain http, where others can read them; use https, or set allow_insecure_http: true if the network is trusted",
    ]);
    expect(problemsOf(`servers: {a: {${fields}, allow_insecure_http: true}}`)).toEqual([]);
  });

  it("D.26 only warns about a variable that a disabled server lacks: the others must still start", () => {
    const text = `servers:
  off: { url: "https://\${NOWHERE}/mcp", enabled: false }
  on: { command: files }
`;
    const parsed = parseConfig(text, { file: "tacklebox.yaml", env: {} });
    expect(parsed).toMatchObject({
      kind: "ok",
      config: { servers: [{ key: "off", enabled: false }, { key: "on" }] },
      warnings: [{ line: 2, message: expect.stringContaining("'NOWHERE'") }],
    });
  });
});
