import { describe, expect, it } from "vitest";
import { UNGOVERNED } from "../../domain/server.ts";
import { fromAcpEntries, fromAcpEntry } from "./from-acp-entry.ts";

const STDIO = { name: "files", command: "/usr/bin/npx", args: ["-y"], env: [{ name: "A", value: "b" }] };

describe("fromAcpEntry", () => {
  it("S3.2 S3.19 reads an entry without type as stdio, in the session's folder", () => {
    expect(fromAcpEntry(STDIO, { cwd: "/project" })).toEqual({
      kind: "ok",
      warnings: [],
      definition: {
        scope: "session",
        key: "files",
        name: "files",
        launch: { transport: "stdio", command: "/usr/bin/npx", args: ["-y"], env: { A: "b" }, cwd: "/project" },
        ...UNGOVERNED,
      },
    });
  });

  it.each(["http", "sse"])("S3.19 T3.5 reads %s, with headers as a record and repeated ones joined", (type) => {
    const headers = [
      { name: "X-A", value: "1" },
      { name: "x-a", value: "2" },
      { name: "B", value: "3" },
    ];
    const entry = { type, name: "api", url: "https://example.com/mcp", headers, _meta: { any: "thing" } };
    expect(fromAcpEntry(entry, { cwd: "/project" })).toMatchObject({
      kind: "ok",
      warnings: [],
      definition: {
        launch: {
          transport: type,
          url: "https://example.com/mcp",
          headers: { "X-A": "1, 2", B: "3" },
          authentication: { type: "none" },
        },
      },
    });
  });

  it("T3.12 keeps a relative command as it is, and needs no cwd, args or env", () => {
    expect(fromAcpEntry({ name: "a", command: "./server" })).toMatchObject({
      definition: { launch: { transport: "stdio", command: "./server", args: [], env: {} } },
    });
  });

  it("reads a url without type and command as http, and a command with a url as stdio", () => {
    const url = "https://example.com/mcp";
    expect(fromAcpEntry({ name: "x", url })).toMatchObject({ definition: { launch: { transport: "http", url } } });
    expect(fromAcpEntry({ name: "x", url, command: "x" })).toMatchObject({
      definition: { launch: { transport: "stdio", command: "x" } },
    });
  });

  it("accepts maps where the protocol has lists, a type of stdio, and null for missing fields", () => {
    const entry = { type: "stdio", name: "a", command: "npx", args: null, env: { A: "b", C: "d" }, headers: null };
    expect(fromAcpEntry(entry)).toMatchObject({
      definition: { launch: { transport: "stdio", command: "npx", args: [], env: { A: "b", C: "d" } } },
    });
    const remote = { type: "http", name: "a", url: "https://x/mcp", headers: { "X-A": "1" } };
    expect(fromAcpEntry(remote)).toMatchObject({ definition: { launch: { headers: { "X-A": "1" } } } });
    expect(fromAcpEntry({ ...remote, headers: undefined })).toMatchObject({ definition: { launch: { headers: {} } } });
  });

  it("S3.9 S3.26 S3.28 includes every tool always, unless the client says otherwise in _meta", () => {
    const toolInclude = { serverDefault: "agent", tools: { read: "always" } };
    expect(fromAcpEntry(STDIO)).toMatchObject({ definition: { include: "always" } });
    expect(fromAcpEntry({ ...STDIO, _meta: { tacklebox: { toolInclude } } })).toMatchObject({
      definition: { include: "agent", tools: [{ name: "read", include: "always" }] },
    });
    const wrong = { ...STDIO, _meta: { tacklebox: { toolInclude: { serverDefault: "often" } } } };
    expect(fromAcpEntry(wrong)).toMatchObject({ kind: "invalid" });
  });

  it.each([
    [{ name: "a", type: "ftp" }, "Unknown transport: ftp. Use one of: stdio, http, sse"],
    [{ name: "a" }, "MCP server 'a' uses transport 'stdio' but is missing required field 'command'"],
    [{ name: "a", type: "http" }, "MCP server 'a' uses transport 'http' but is missing required field 'url'"],
    [{ command: "x" }, "name is missing"],
    [{ name: "", command: "x" }, "name must have 1 to 100 characters and no control characters"],
    [{ name: "a", command: "x", env: "A=b" }, "env must be a list of names and values, or a map"],
    [
      { name: "a", command: "x", env: { A: 1 } },
      "env[0].value must be text; put it in quotes if it looks like something else",
    ],
    [{ name: "a", command: "x", env: ["A=b"] }, "env[0] must be an object with 'name' and 'value'"],
    [
      { name: "a", command: "x", env: [{ name: "A=B", value: "c" }] },
      "env.A=B is not a valid name of an environment variable",
    ],
    [
      { name: "a", type: "http", url: "https://x", headers: [{ name: "A", value: "b\nC: d" }] },
      "headers.A must be one line of plain characters: line breaks and special characters cannot be sent in a header",
    ],
    [null, "entry must be an object that describes one server"],
  ])("refuses %j", (entry, problem) => {
    expect(fromAcpEntry(entry)).toEqual({ kind: "invalid", problems: [problem] });
  });

  it("D.15 refuses plain http with credentials", () => {
    const entry = {
      type: "http",
      name: "a",
      url: "http://example.com/mcp",
      headers: [{ name: "Authorization", value: "Bearer x" }],
    };
    expect(fromAcpEntry(entry)).toMatchObject({ kind: "invalid" });
    expect(fromAcpEntry({ ...entry, headers: [] })).toMatchObject({
      kind: "ok",
      warnings: [
        "MCP server 'a' is reached over plain http, where others can read and change what is sent; use https if it can",
      ],
    });
  });

  it.each([
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "NODE_OPTIONS",
    "PYTHONSTARTUP",
    "BASH_ENV",
    "Path",
  ])("T05 refuses to let an editor set %s", (name) => {
    const entry = { name: "a", command: "a", env: [{ name, value: "x" }] };
    expect(fromAcpEntry(entry)).toEqual({
      kind: "invalid",
      problems: [
        `MCP server 'a' sets ${name}, which decides what code runs and may not come from an editor. Configure this server in Tacklebox's own file instead`,
      ],
    });
    const harmless = { ...entry, env: [{ name: `MY_${name}`, value: "x" }] };
    expect(fromAcpEntry(harmless).kind).toBe("ok");
  });
});

describe("fromAcpEntries", () => {
  it.each([undefined, null, []])("T3.12 treats %j as no servers", (list) => {
    expect(fromAcpEntries(list)).toEqual({ definitions: [], warnings: [], problems: [], unusable: [] });
  });

  it("refuses anything but a list", () => {
    expect(fromAcpEntries({})).toEqual({
      definitions: [],
      warnings: [],
      problems: ["mcpServers must be a list of servers"],
      unusable: [],
    });
  });

  it("T3.12 gives a repeated name a suffix, with a warning", () => {
    const { definitions, warnings, problems } = fromAcpEntries([STDIO, STDIO, { ...STDIO, name: "files-2" }, STDIO]);
    expect(definitions.map(({ key, name }) => [key, name])).toEqual([
      ["files", "files"],
      ["files-2", "files"],
      ["files-2-2", "files-2"],
      ["files-3", "files"],
    ]);
    expect(warnings).toEqual([
      "MCP server 'files' was given twice; the second one is called 'files-2'",
      "MCP server 'files-2' was given twice; the second one is called 'files-2-2'",
      "MCP server 'files' was given twice; the second one is called 'files-3'",
    ]);
    expect(problems).toEqual([]);
  });

  it("S3.16 goes on without the entries that cannot be used", () => {
    const { definitions, problems, unusable } = fromAcpEntries([{ name: "bad" }, STDIO, "?"], { cwd: "/w" });
    expect(definitions.map(({ key }) => key)).toEqual(["files"]);
    expect(problems).toEqual([
      "mcpServers[0]: MCP server 'bad' uses transport 'stdio' but is missing required field 'command'",
      "mcpServers[2]: entry must be an object that describes one server",
    ]);
    expect(unusable).toEqual(["bad", "mcpServers[2]"]);
  });
});
