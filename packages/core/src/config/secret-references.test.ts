import { describe, expect, it } from "vitest";
import { formatConfigProblem } from "./document/config-problem.ts";
import { fromAcpEntry } from "./entries/from-acp-entry.ts";
import { parseConfig } from "./parse-config.ts";

function parse(lines: readonly string[]) {
  const parsed = parseConfig(lines.join("\n"), { file: "tacklebox.yaml", env: { MASTER_KEY: "k" } });
  return parsed.kind === "ok" ? parsed.config.servers : parsed.problems.map(formatConfigProblem);
}

describe("references to stored secrets in a config file", () => {
  it("reach the definition as they are written", () => {
    expect(
      parse([
        "servers:",
        "  web:",
        "    url: https://example.com/${secret:tenant}/mcp?key=${secret:key}",
        "    authentication: { type: basic, username: '${secret:web:user}', password: '${secret:web:password}' }",
        "  files:",
        "    command: files",
        "    args: [--token, '${secret:files}']",
      ]),
    ).toMatchObject([
      {
        launch: {
          url: "https://example.com/${secret:tenant}/mcp?key=${secret:key}",
          authentication: { type: "basic", username: "${secret:web:user}", password: "${secret:web:password}" },
        },
      },
      { launch: { command: "files", args: ["--token", "${secret:files}"] } },
    ]);
  });

  it("are refused with the position of the field", () => {
    expect(parse(["servers:", "  a:", "    command: run-${secret:x}", "    args: ['${secret:a b}']"])).toEqual([
      "tacklebox.yaml:3:14\nA stored secret (${secret:…}), used by server 'a', may not stand in 'command'. It may in headers, authentication, env, args and the path or query of a server's url",
      "tacklebox.yaml:4:12\nA ${secret:…} used by server 'a' does not name a secret. Names have letters, digits and _ - . : / and start with a letter or digit",
    ]);
  });

  it.each([
    ["url: http://example.com/${secret:x}"],
    ["url: http://example.com/?q=${secret:x}"],
    ["url: http://example.com/", "headers: { User-Agent: '${secret:x}' }"],
    ["url: http://example.com/", "authentication: { type: bearer, token: '${secret:x}' }"],
  ])("D.15 count as credentials: %s", (...lines) => {
    expect(parse(["servers:", "  a:", ...lines.map((line) => `    ${line}`)])).toEqual([
      "tacklebox.yaml:3:10\nMCP server 'a' would receive credentials over plain http, where others can read them; use https, or set allow_insecure_http: true if the network is trusted",
    ]);
  });

  it("are refused in S4's toolbox and the gateway's entries as well", () => {
    const problem = /may not stand in 'description'/;
    expect(parse(["tools:", "  mcp_servers:", "    a: { command: x, description: '${secret:x}' }"])).toEqual([
      expect.stringMatching(problem),
    ]);
    expect(
      parse([
        "myai:",
        "  toolbox:",
        "    mcps:",
        "      - { name: a, transport: sse, url: 'https://example.com', mode: strict, description: '${secret:x}' }",
      ]),
    ).toEqual([expect.stringMatching(problem)]);
  });

  it("D.21 are not allowed for servers that an editor sends", () => {
    const entries = [
      { name: "a", command: "x", env: [{ name: "TOKEN", value: "${secret:x}" }] },
      { name: "a", type: "http", url: "https://example.com/${secret:x}", headers: [] },
    ];
    for (const entry of entries) {
      expect(fromAcpEntry(entry)).toEqual({
        kind: "invalid",
        problems: ["MCP server 'a' names a stored secret (${secret:…}), which servers of an editor may not use"],
      });
    }
  });
});
