import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { formatConfigProblem } from "../document/config-problem.ts";
import { parseConfig } from "../parse-config.ts";
import { type ImportedServers, importServers } from "./import-servers.ts";

const FOLDER = new URL("../../../../../tests/fixtures/configs/", import.meta.url);

function load(file: string): ImportedServers {
  return importServers(readFileSync(new URL(file, FOLDER), "utf8"), { file });
}

function importRoot(root: unknown): ImportedServers {
  return importServers(JSON.stringify(root), { file: "mcp.json" });
}

function draftsOf(imported: ImportedServers) {
  if (imported.kind === "invalid") throw new Error(imported.problems.map(formatConfigProblem).join("\n"));
  return imported.drafts;
}

function entriesOf(imported: ImportedServers): Record<string, unknown> {
  return Object.fromEntries(draftsOf(imported).map(({ name, entry }) => [name, entry]));
}

function messagesOf(imported: ImportedServers): string[] {
  return (imported.kind === "ok" ? imported.warnings : imported.problems).map(({ message }) => message);
}

function draftOf(entry: unknown, name = "notes") {
  const [draft] = draftsOf(importRoot({ mcpServers: { [name]: entry } }));
  if (draft === undefined) throw new Error("no draft");
  return draft;
}

describe("importing from other programs", () => {
  it("reads Claude Desktop's file and moves its secrets out", () => {
    const drafts = draftsOf(load("claude-desktop.json"));
    expect(drafts.map(({ entry }) => entry)).toEqual([
      {
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/ada/Documents"],
        enabled: false,
      },
      {
        command: "docker",
        args: ["run", "-i", "--rm", "-e", "GITHUB_PERSONAL_ACCESS_TOKEN", "ghcr.io/github/github-mcp-server"],
        env: {
          GITHUB_PERSONAL_ACCESS_TOKEN: "${secret:GITHUB_MCP_GITHUB_PERSONAL_ACCESS_TOKEN}",
          LOG_LEVEL: "debug",
        },
        enabled: false,
      },
      {
        command: "npx",
        args: [
          "-y",
          "@modelcontextprotocol/server-postgres@0.6.2",
          "postgresql://ada:${secret:POSTGRES_PASSWORD}@localhost/notes",
        ],
        enabled: false,
      },
    ]);
    expect(drafts.map(({ heldBack }) => heldBack)).toEqual([undefined, undefined, "it is disabled there"]);
    expect(drafts.flatMap(({ secrets }) => secrets)).toEqual([
      {
        name: "GITHUB_MCP_GITHUB_PERSONAL_ACCESS_TOKEN",
        where: "env GITHUB_PERSONAL_ACCESS_TOKEN",
        value: "canary-desktop-github",
      },
      { name: "POSTGRES_PASSWORD", where: "argument 3", value: "canary-desktop-pass" },
    ]);
  });

  it("reads Claude Code's file with the servers of every project, with its folder if they are relative to it", () => {
    const imported = load("claude-code.json");
    expect(entriesOf(imported)).toEqual({
      linear: { transport: "sse", url: "https://mcp.linear.app/sse", enabled: false },
      sentry: {
        url: "https://mcp.sentry.dev/mcp",
        headers: { Authorization: "Bearer ${secret:SENTRY_AUTHORIZATION}" },
        enabled: false,
      },
      tools: { command: "node", args: ["./tools/server.js"], cwd: "/home/ada/shop", enabled: false },
      "tools-2": { command: "node", args: ["./tools/server.js"], cwd: "/home/ada/blog", enabled: false },
    });
    expect(messagesOf(imported)).toEqual(["'tools' is imported as 'tools-2'"]);
  });

  it("reads Claude Code's file even if its history makes it larger than a config file may be", () => {
    const history = {
      "/home/ada/shop": { history: ["x".repeat(2 * 1024 * 1024)], mcpServers: { a: { command: "x" } } },
    };
    expect(entriesOf(importRoot({ mcpServers: { b: { command: "y" } }, projects: history }))).toEqual({
      b: { command: "y", enabled: false },
      a: { command: "x", enabled: false },
    });
  });

  it("keeps variables as variables, and lists which ones a server reads", () => {
    const [api] = draftsOf(load("claude-project.mcp.json"));
    expect(api).toEqual({
      name: "api",
      entry: {
        url: "${API_BASE_URL:-https://api.example.com}/mcp",
        headers: { Authorization: "Bearer ${API_KEY}" },
        enabled: false,
      },
      secrets: [],
      shown: { url: "${API_BASE_URL:-https://api.example.com}/mcp", env: [], reads: ["API_BASE_URL", "API_KEY"] },
    });
  });

  it("reads Cursor's file: secrets in arguments, queries and the headers of mcp-remote", () => {
    const imported = load("cursor.json");
    expect(entriesOf(imported)).toEqual({
      notes: {
        command: "uvx",
        args: ["notes-server", "--api-key", "${secret:NOTES_API_KEY}", "--verbose"],
        env: { HOME_FOLDER: "$${userHome}", REGION: "${AWS_REGION}" },
        enabled: false,
      },
      maps: { url: "https://maps.example.com/mcp?apikey=${secret:MAPS_APIKEY}&lang=en", enabled: false },
      remote: {
        command: "npx",
        args: [
          "mcp-remote@0.1.18",
          "https://mcp.example.com/sse",
          "--header",
          "Authorization: Bearer ${secret:REMOTE_AUTHORIZATION}",
        ],
        enabled: false,
      },
    });
    expect(draftsOf(imported).flatMap(({ secrets }) => secrets.map(({ value }) => value))).toEqual([
      "canary-cursor-argument",
      "canary cursor+query",
      "canary-cursor-header",
    ]);
  });

  it("reads VS Code's mcp.json with comments, and keeps an input's description as a hint", () => {
    const [github, db] = draftsOf(load("vscode-mcp.json"));
    expect(github?.entry.headers).toEqual({ Authorization: "Bearer ${secret:github_token}" });
    expect(github?.secrets).toEqual([
      { name: "github_token", where: "input github_token", hint: "GitHub personal access token" },
    ]);
    expect(db).toMatchObject({
      name: "io.example-db",
      entry: {
        args: ["--host", "${secret:db_host}", "--root", "$${workspaceFolder}/data"],
        env: { PORT: "5432", STAGE: "${STAGE}" },
      },
      heldBack: "it uses ${workspaceFolder}",
    });
    expect(messagesOf(load("vscode-mcp.json"))).toContain(
      "MCP server 'io.example/db' uses ${workspaceFolder}, which only an editor can fill in; write the value in its place before you enable it",
    );
  });

  it("reads VS Code's servers by program if nothing in the file identifies it", () => {
    const text = '{"servers": {"a": {"command": "x", "timeout": 5000}}}';
    expect(entriesOf(importServers(text, { file: "mcp.json", program: "vscode" }))).toEqual({
      a: { command: "x", timeout: 5, enabled: false },
    });
  });

  it("reads VS Code's settings.json", () => {
    expect(entriesOf(load("vscode-settings.json"))).toEqual({
      search: { command: "search-server", env: { SEARCH_KEY: "${secret:key}" }, enabled: false },
    });
  });

  it("reads Zed's settings in both styles, and leaves out servers of extensions", () => {
    const imported = load("zed-settings.json");
    expect(entriesOf(imported)).toEqual({
      "old-style": {
        command: "/usr/local/bin/notes",
        args: ["--stdio"],
        env: { NOTES_TOKEN: "${secret:OLD_STYLE_NOTES_TOKEN}" },
        enabled: false,
      },
      "new-style": { command: "notes", enabled: false },
      remote: {
        url: "https://zed.example.com/mcp",
        headers: { "X-Team": "${secret:REMOTE_X_TEAM}" },
        enabled: false,
      },
    });
    expect(messagesOf(imported)).toEqual([
      "MCP server 'mcp-server-context7' is started by an editor's extension and is left out here",
      "MCP server 'postgres-context-server' is started by an editor's extension and is left out here",
    ]);
  });

  it("reads our own files and the other two dialects", () => {
    expect(entriesOf(importRoot({ servers: { a: { command: "x", timeout: 5, authentication: null } } }))).toEqual({
      a: { command: "x", timeout: 5, enabled: false },
    });
    expect(entriesOf(importRoot({ tools: { mcp_servers: { a: { command: "x" } } } }))).toEqual({
      a: { command: "x", enabled: false },
    });
    const mcps = [{ name: "a", transport: "streamable_http", url: "https://example.com/mcp", mode: "strict" }];
    expect(entriesOf(importRoot({ myai: { toolbox: { mcps } } }))).toEqual({
      a: {
        transport: "streamable-http",
        url: "https://example.com/mcp",
        required: true,
        mode: "strict",
        enabled: false,
      },
    });
  });

  it.each(["claude-desktop.json", "claude-code.json", "cursor.json", "zed-settings.json", "hostile.json"])(
    "makes entries that our own file can hold: %s",
    (file) => {
      const text = JSON.stringify({ servers: entriesOf(load(file)) }).replace(/\$\{secret:\w+\}/g, "filled");
      expect(parseConfig(text, { file: "tacklebox.json", env: { AWS_REGION: "x" } })).toMatchObject({ kind: "ok" });
    },
  );
});

describe("broken or malicious files", () => {
  it("are imported without the servers that cannot be read, with the reasons", () => {
    const imported = load("wrong-types.json");
    expect(Object.keys(entriesOf(imported))).toEqual(["good"]);
    expect(messagesOf(imported)).toEqual([
      "'list' is left out. mcpServers.list must be a map that describes one server",
      "'text-arguments' is left out. args must be a list of strings",
      "'number' is left out. mcpServers.number must be a map that describes one server",
      "'both' is left out. MCP server 'both' has both 'command' and 'url'; keep the one it is reached by",
      "'nothing' is left out. MCP server 'nothing' needs 'command' (a program to start) or 'url' (a server to call)",
      "'script' is left out. The url of MCP server 'script' must start with http:// or https://",
      "'user-in-url' is left out. The url of MCP server 'user-in-url' must not contain a user name or password; use 'authentication' or 'headers'",
      "'plain' is left out. MCP server 'plain' would receive credentials over plain http, where others can read them; use https, or set allow_insecure_http: true if the network is trusted",
      "'names-the-vault' is left out. It uses ${secret:GITHUB_TOKEN}: a file from elsewhere may not name secrets of this vault",
      "'asks-for-a-host' is left out. It asks for ${input:host} in the host of its url, where no secret can stand",
      "'asks-for-a-command' is left out. It asks for ${input:command} in 'command', where no secret can stand",
    ]);
  });

  it.each([
    ["duplicate-names.json", "duplicate-names.json:4:5\nThe key 'a' is written twice in one map; remove one of them."],
    ["list-of-servers.json", "list-of-servers.json:1:17\nmcpServers must be a map of server names to entries"],
    [
      "no-servers.json",
      "no-servers.json:1:3\nNo servers are described here: 'name' is not a key that does. Expected 'servers' (tacklebox.yaml), 'mcpServers', 'context_servers', 'myai.toolbox' or 'tools.mcp_servers'.",
    ],
    [
      "empty.json",
      "empty.json:1:1\nThe file is empty. A config file must be a map with a key such as 'servers', 'mcpServers', 'tools' or 'myai'.",
    ],
    [
      "broken.json",
      "broken.json:4:3\nThe indentation does not fit the lines around it, or a closing bracket is missing.",
    ],
  ])("refuses %s with the place", (file, text) => {
    const imported = load(file);
    expect(imported.kind === "invalid" && imported.problems.map(formatConfigProblem)[0]).toBe(text);
  });

  it("are invalid if no server can be read", () => {
    expect(importRoot({ mcpServers: { a: { command: 1 } } })).toMatchObject({ kind: "invalid" });
  });

  it("are refused if too large; a program's own file without servers is simply empty", () => {
    expect(messagesOf(importRoot({ mcpServers: { a: { command: "x".repeat(1024 * 1024) } } }))).toEqual([
      "mcp.json is 1.1 MB; a config file may be at most 1 MB",
    ]);
    const settings = importServers('{"editor.fontSize": 14}', { file: "settings.json", program: "vscode" });
    expect(settings).toEqual({ kind: "ok", drafts: [], warnings: [] });
  });

  it("T04 keep every byte of fifty hostile commands, under names that can be typed", () => {
    const drafts = draftsOf(load("hostile.json"));
    expect(drafts).toHaveLength(50);
    for (const { name, entry } of drafts) {
      expect(name).toMatch(/^[\p{L}\p{N}_.-]+$/u);
      expect(entry.enabled).toBe(false);
    }
    expect(drafts.slice(-3).map(({ name, shown }) => [name, shown.command])).toEqual([
      ["new-line", ["canary-command", "one\ntwo", "\u001b[2J", "\r\u0007"]],
      ["bidi", ["canary-command", "\u202Etxt.exe", "a\u200Bb", "\u2066x\u2069"]],
      [
        "padded",
        ["canary-command", `${" ".repeat(4096)}; touch canary`, "$(touch canary)", "`touch canary`", "%COMSPEC%"],
      ],
    ]);
    expect(messagesOf(load("hostile.json"))).toContain(
      "MCP server 'padded' sets NODE_OPTIONS, which can make programs run code that its command does not show",
    );
  });

  it("get the same numbered names every time if their names differ only in characters that cannot be typed", () => {
    const root = {
      mcpServers: { "a b": { command: "1" }, "a\tb": { command: "2" }, "a-b": { command: "3" }, "": { command: "4" } },
    };
    expect(draftsOf(importRoot(root)).map(({ name }) => name)).toEqual(["a-b", "a-b-2", "a-b-3", "server"]);
    expect(importRoot(root)).toEqual(importRoot(root));
  });
});

describe("detected as a secret", () => {
  it.each([
    [{ command: "x", args: ["--token=abc"] }, ["--token=${secret:NOTES_TOKEN}"], "abc"],
    [{ command: "x", args: ["-e", "API_TOKEN=abc"] }, ["-e", "API_TOKEN=${secret:NOTES_API_TOKEN}"], "abc"],
    [{ command: "x", args: ["ghp_0123456789abcdef"] }, ["${secret:NOTES_ARGUMENT_1}"], "ghp_0123456789abcdef"],
    [{ command: "x", args: ["-H", "X-Any: hunter22"] }, ["-H", "X-Any: ${secret:NOTES_X_ANY}"], "hunter22"],
    [
      { command: "x", args: ["--header=Authorization: Bearer hunter22"] },
      ["--header=Authorization: Bearer ${secret:NOTES_AUTHORIZATION}"],
      "hunter22",
    ],
    [
      { command: "x", args: ["Server=db;Password=hunter22;Encrypt=true"] },
      ["Server=db;Password=${secret:NOTES_PASSWORD};Encrypt=true"],
      "hunter22",
    ],
    [
      { command: "sh", args: ["serve --password hunter22 --port 80"] },
      ["serve --password ${secret:NOTES_PASSWORD} --port 80"],
      "hunter22",
    ],
  ])("an argument: %j", (entry, args, value) => {
    const draft = draftOf(entry);
    expect([draft.entry.args, draft.secrets[0]?.value]).toEqual([args, value]);
  });

  it.each([
    ["--token", "--verbose"],
    ["--token=${TOKEN}"],
    ["-y", "package@1"],
    ["C:\\key"],
    ["--auth=true"],
    ["-H", "X-Team: a"],
    ["--auth=oauth"],
  ])("not an argument such as %j", (...args) => expect(draftOf({ command: "x", args }).entry.args).toEqual(args));

  it("are a variable, by its name or its value, and the password inside a URL", () => {
    const env = { NOTES_KEY: "k", PLAIN: "sk-0123456789abcdef", DB: "mysql://root:pw@db", LEVEL: "info" };
    expect(draftOf({ command: "x", env }).entry.env).toEqual({
      NOTES_KEY: "${secret:NOTES_KEY}",
      PLAIN: "${secret:NOTES_PLAIN}",
      DB: "mysql://root:${secret:NOTES_DB}@db",
      LEVEL: "info",
    });
  });

  it("is no ordinary value under a name that may mean something else", () => {
    const env = { AUTH_PROVIDER: "github", SESSION_MODE: "stateless" };
    const args = ["--sort-key=created_at", "--primary-key", "customer_id"];
    expect(draftOf({ command: "x", args, env }).entry).toMatchObject({ args, env });
  });

  it("is every header that is not known to be harmless", () => {
    const headers = { Accept: "a/b", "X-Api-Key": "k", Authorization: "Basic YTpi" };
    expect(draftOf({ url: "https://example.com", headers }).entry.headers).toEqual({
      Accept: "a/b",
      "X-Api-Key": "${secret:NOTES_X_API_KEY}",
      Authorization: "Basic ${secret:NOTES_AUTHORIZATION}",
    });
  });

  it("are values that each get their own name", () => {
    const env = { TOKEN: "a", NOTES_TOKEN: "b" };
    expect(draftOf({ command: "x", env }).secrets.map(({ name }) => name)).toEqual(["NOTES_TOKEN", "NOTES_TOKEN_2"]);
  });
});

describe("packages without a version", () => {
  const newest = (name: string, example: string) =>
    `MCP server 'a' runs whatever version of ${name} is newest when it starts; name one, such as ${example}`;
  it.each([
    [["npx", "-y", "pkg"], [newest("pkg", "pkg@1.2.3")]],
    [["npx.cmd", "@scope/pkg@latest"], [newest("@scope/pkg@latest", "@scope/pkg@1.2.3")]],
    [["cmd", "/c", "npx", "-y", "pkg"], [newest("pkg", "pkg@1.2.3")]],
    [["pnpm", "dlx", "pkg"], [newest("pkg", "pkg@1.2.3")]],
    [["npx", "-p", "pkg", "bin"], [newest("pkg", "pkg@1.2.3")]],
    [["uvx", "--python", "3.12", "pkg"], [newest("pkg", "pkg==1.2.3")]],
    [["uvx", "--from=pkg", "bin"], [newest("pkg", "pkg==1.2.3")]],
    [["npx", "-y", "@scope/pkg@1.0.0"], []],
    [["uvx", "pkg==1.0"], []],
    [["npx", "./local"], []],
    [["node", "server.js"], []],
  ])("%j", ([command, ...args], warnings) => {
    expect(messagesOf(importRoot({ mcpServers: { a: { command, args } } }))).toEqual(warnings);
  });
});
