import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { VaultError } from "@tacklebox/core";
import { createMemoryVault, type MemoryVault } from "@tacklebox/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WithVault } from "../engine/with-vault.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { operatorEnv } from "../testing/operator-env.ts";
import { createScriptedEngine } from "../testing/scripted-engine.ts";
import { type ImportCommandOptions, run as runImport } from "./import.ts";

const FIXTURES = fileURLToPath(new URL("../../../../tests/fixtures/configs/", import.meta.url));

let folder: string;
let vault: MemoryVault;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-import-"));
  vault = createMemoryVault();
});
afterEach(() => rmSync(folder, { recursive: true }));

const withTestVault: WithVault = (_io, use) => use(vault);
const noVault: WithVault = () => {
  throw new Error("the vault was opened");
};

async function run(from: string, options: Partial<ImportCommandOptions> = {}, withVault: WithVault = withTestVault) {
  const io = createMemoryIo({ cwd: folder, home: join(folder, "home"), env: operatorEnv(folder) });
  const context = { io, openEngine: createScriptedEngine({}).open };
  const common = { config: undefined, json: false, logLevel: undefined, logFormat: undefined };
  const code = await runImport(context, { ...common, from, to: undefined, enable: false, ...options }, withVault);
  return { code, stdout: io.stdout.text(), stderr: io.stderr.text() };
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

function config(name = "tacklebox.yaml"): string {
  return readFileSync(join(folder, name), "utf8");
}

function servers(map: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ mcpServers: map });
}

describe("tacklebox import", () => {
  it("writes drafts into a new file that only its owner can read, and their secrets into the vault", async () => {
    const { code, stdout } = await run(join(FIXTURES, "claude-desktop.json"));
    expect(code).toBe(0);
    expect(statSync(join(folder, "tacklebox.yaml")).mode & 0o777).toBe(0o600);
    expect(config()).toBe(`servers:
  filesystem:
    command: npx
    args:
      - -y
      - "@modelcontextprotocol/server-filesystem"
      - /home/ada/Documents
    enabled: false
  GitHub-MCP:
    command: docker
    args:
      - run
      - -i
      - --rm
      - -e
      - GITHUB_PERSONAL_ACCESS_TOKEN
      - ghcr.io/github/github-mcp-server
    env:
      GITHUB_PERSONAL_ACCESS_TOKEN: \${secret:GITHUB_MCP_GITHUB_PERSONAL_ACCESS_TOKEN}
      LOG_LEVEL: debug
    enabled: false
  postgres:
    command: npx
    args:
      - -y
      - "@modelcontextprotocol/server-postgres@0.6.2"
      - postgresql://ada:\${secret:POSTGRES_PASSWORD}@localhost/notes
    enabled: false
`);
    expect(Object.fromEntries(vault.values)).toEqual({
      GITHUB_MCP_GITHUB_PERSONAL_ACCESS_TOKEN: "canary-desktop-github",
      POSTGRES_PASSWORD: "canary-desktop-pass",
    });
    expect(stdout).not.toContain("canary");
    expect(stdout).toContain(
      `Added 3 servers to ${join(folder, "tacklebox.yaml")}\nTo enable one: tacklebox enable filesystem\n`,
    );
  });

  it("changes nothing the second time, and says so", async () => {
    await run(join(FIXTURES, "claude-desktop.json"));
    const before = config();
    const { code, stdout } = await run(join(FIXTURES, "claude-desktop.json"));
    expect([code, config()]).toEqual([0, before]);
    expect(stdout).toContain("= already there, unchanged");
    expect(stdout).toContain(`Nothing was changed: there are no new servers for ${join(folder, "tacklebox.yaml")}\n`);
    expect(vault.values.size).toBe(2);
  });

  it("still recognizes a server that was switched on since", async () => {
    const from = write("mcp.json", servers({ a: { command: "x" } }));
    await run(from, {}, noVault);
    write("tacklebox.yaml", config().replace("enabled: false", "enabled: true"));
    expect((await run(from, {}, noVault)).stdout).toContain("= already there, unchanged");
  });

  it("leaves another server of the same name alone and reports it", async () => {
    write("tacklebox.yaml", "servers:\n  a:\n    command: mine # keep\n");
    const { code, stdout } = await run(write("mcp.json", servers({ a: { command: "theirs" }, b: { command: "x" } })));
    expect(code).toBe(0);
    expect(stdout).toContain("! skipped: the config has another server of this name");
    expect(config()).toBe("servers:\n  a:\n    command: mine # keep\n  b:\n    command: x\n    enabled: false\n");
  });

  it("T04 shows every argument on a line of its own, with nothing shortened and nothing invisible", async () => {
    const { stdout } = await run(join(FIXTURES, "hostile.json"), {}, noVault);
    expect(stdout.match(/^ {2}\+ added, disabled$/gm)).toHaveLength(50);
    expect(stdout).toContain(
      "  command  canary-command\n           one\\ntwo\n           \\x1b[2J\n           \\r\\x07\n",
    );
    expect(stdout).toContain("           \\u202etxt.exe\n           a\\u200bb\n           \\u2066x\\u2069\n");
    expect(stdout).toContain(
      `           ${" ".repeat(4096)}; touch canary\n           $(touch canary)\n           \`touch canary\`\n           %COMSPEC%\n  env      NODE_OPTIONS\n`,
    );
    expect(stdout).not.toMatch(/[\p{Cf}]/u);
  });

  it("switches nothing on that the current folder adds to a program's settings: it may come from anybody", async () => {
    for (const place of ["home", ""]) mkdirSync(join(folder, place, ".cursor"), { recursive: true });
    write("home/.cursor/mcp.json", servers({ mine: { command: "x" } }));
    write(".cursor/mcp.json", servers({ theirs: { command: "y" } }));
    const { stdout } = await run("cursor", { enable: true });
    expect(stdout).toContain("+ added, enabled\n");
    expect(stdout).toContain("+ added, disabled: it comes from the current folder, not from your own settings\n");
    expect(config()).toBe("servers:\n  mine:\n    command: x\n  theirs:\n    command: y\n    enabled: false\n");
  });

  it("switches servers on with --enable, but none that was off or still needs a secret", async () => {
    const { stdout } = await run(join(FIXTURES, "vscode-mcp.json"), { enable: true });
    expect(stdout).toContain("+ added, disabled: it needs github_token\n");
    expect(stdout).toContain(
      "github_token (GitHub personal access token), set it with: tacklebox secret set github_token\n",
    );
    expect(stdout).toContain("+ added, disabled: it uses ${workspaceFolder}\n");
    const from = write("mcp.json", servers({ on: { command: "x" }, off: { command: "x", disabled: true } }));
    const second = await run(from, { enable: true });
    expect(second.stdout).toContain("+ added, enabled\n");
    expect(second.stdout).toContain("+ added, disabled: it is disabled there\n");
    expect(config()).toContain("  on:\n    command: x\n  off:\n    command: x\n    enabled: false\n");
  });

  it("T07 neither uses nor overwrites a secret that the vault already has", async () => {
    vault = createMemoryVault({ GITHUB_TOKEN: "mine", github_token: "mine too" });
    const from = write("mcp.json", servers({ github: { command: "x", env: { GITHUB_TOKEN: "theirs-12" } } }));
    await run(from);
    expect(config()).toContain("GITHUB_TOKEN: ${secret:GITHUB_TOKEN_2}");
    expect(Object.fromEntries(vault.values)).toMatchObject({ GITHUB_TOKEN: "mine", GITHUB_TOKEN_2: "theirs-12" });
    expect((await run(from)).stdout).toContain("= already there, unchanged");

    const asked = await run(join(FIXTURES, "vscode-mcp.json"), { enable: true, to: "other.yaml" });
    expect(asked.stdout).toContain("disabled: it would be given github_token, which the vault already has\n");
  });

  it("F16 does not store a secret that is too short to be redacted: it is to be set by a person", async () => {
    vault = createMemoryVault({ SHORT_API_TOKEN: "mine-123" });
    const from = write("mcp.json", servers({ short: { command: "x", env: { API_TOKEN: "abc1234" } } }));
    const { code, stdout, stderr } = await run(from, { enable: true });
    expect([code, Object.fromEntries(vault.values)]).toEqual([0, { SHORT_API_TOKEN: "mine-123" }]);
    expect(stderr).toContain(
      "The value of env API_TOKEN of 'short' was not stored. A secret needs at least 8 characters",
    );
    expect(stdout).toContain(
      "SHORT_API_TOKEN_2 (the one in that file is too short), set it with: tacklebox secret set SHORT_API_TOKEN_2",
    );
    expect(stdout).toContain("+ added, disabled: it needs SHORT_API_TOKEN_2\n");
    expect(stdout + stderr + config()).not.toContain("abc1234");
  });

  it("writes nothing, and stores nothing in the vault, when the result would be invalid", async () => {
    const full = `servers: {}\n#${" ".repeat(1024 * 1024 - 20)}\n`;
    write("full.yaml", full);
    const from = write("mcp.json", servers({ b: { command: "y", env: { TOKEN: "canary-12" } } }));
    const { code, stderr } = await run(from, { to: "full.yaml" });
    expect([code, stderr]).toEqual([
      1,
      `${folder}/full.yaml\nNothing was changed: the file would not be valid any more.\n\n${folder}/full.yaml\n${folder}/full.yaml is 1.1 MB; a config file may be at most 1 MB\n`,
    ]);
    expect(config("full.yaml") === full).toBe(true);
    expect(vault.values.size).toBe(0);
  });

  it("leaves a file alone that it cannot edit safely", async () => {
    write("list.yaml", "servers: [a]\n");
    const refused = await run(write("mcp.json", servers({ b: { command: "y" } })), { to: "list.yaml" });
    expect([refused.code, config("list.yaml")]).toEqual([1, "servers: [a]\n"]);
    expect(refused.stderr).toContain("cannot be changed safely from here");
  });

  it("says what is wrong with the vault's key and writes nothing", async () => {
    const locked: WithVault = async (_io, use) => {
      const broken = { ...vault, put: () => Promise.reject(new VaultError("locked", "The vault is locked")) };
      return use(broken).catch(() => 1 as const);
    };
    const from = write("mcp.json", servers({ a: { command: "x", env: { TOKEN: "canary-12" } } }));
    expect((await run(from, {}, locked)).code).toBe(1);
    expect(existsSync(join(folder, "tacklebox.yaml"))).toBe(false);
  });

  it("collects the servers of all of a program's files", async () => {
    mkdirSync(join(folder, "home", ".cursor"), { recursive: true });
    mkdirSync(join(folder, ".cursor"));
    write("home/.cursor/mcp.json", servers({ a: { command: "x" }, b: { command: "y" } }));
    write(".cursor/mcp.json", servers({ a: { command: "x" }, b: { command: "other" } }));
    const { stdout, stderr } = await run("cursor", { json: true }, noVault);
    expect(JSON.parse(stdout)).toMatchObject({
      file: join(folder, "tacklebox.yaml"),
      servers: [
        { name: "a", result: "added", enabled: false, command: ["x"], env: [], secrets: [] },
        { name: "b", result: "added", command: ["y"] },
        { name: "b-2", result: "added", command: ["other"] },
      ],
      problems: [],
    });
    expect(stderr).toContain("'b' is imported as 'b-2'");
  });

  it("imports the rest when one of the files is broken, and exits 1", async () => {
    mkdirSync(join(folder, ".vscode"));
    write(".vscode/mcp.json", "{");
    write(".vscode/settings.json", '{"mcp": {"servers": {"a": {"command": "x"}}}}');
    const { code, stderr } = await run("vscode", {}, noVault);
    expect(code).toBe(1);
    expect(stderr).toContain(join(folder, ".vscode", "mcp.json"));
    expect(config()).toContain("command: x");
  });

  it("says where it looked when there is nothing", async () => {
    const zed = await run("zed");
    expect([zed.code, zed.stderr]).toEqual([
      1,
      `No Zed config was found. Looked at:\n  ${folder}/home/.config/zed/settings.json\n  ${folder}/.zed/settings.json\n`,
    ]);
    const file = await run("nothing.json");
    expect([file.code, file.stderr]).toEqual([
      1,
      `${folder}/nothing.json\nThere is no such file. Name a file, or one of these programs: claude, cursor, vscode, zed\n`,
    ]);
  });

  it("warns of variables that are not set, without which the file does not load", async () => {
    const { stderr } = await run(join(FIXTURES, "claude-project.mcp.json"), {}, noVault);
    expect(stderr).toContain(
      "MCP server 'api' reads environment variables that are not set here: API_BASE_URL, API_KEY. Set them before the next start.",
    );
  });

  it.each([
    [
      "tacklebox.json",
      '{\n  "servers": {\n    "a": {\n      "url": "https://a.example/mcp",\n      "enabled": false\n    }\n  }\n}\n',
      "",
    ],
    ["mcp.json", '{"mcpServers": {"a": { "url": "https://a.example/mcp", "disabled": true }}}', '{"mcpServers": {}}'],
    [
      "gateway.yaml",
      "tools:\n  mcp_servers:\n    a:\n      transport: http\n      url: https://a.example/mcp\n      enabled: false\n",
      "tools:\n  mcp_servers: {}\n",
    ],
    [
      "toolbox.yaml",
      "myai:\n  toolbox:\n    mcps:\n      - name: a\n        transport: streamable_http\n        url: https://a.example/mcp\n        enabled: false\n        mode: dynamic\n        default_tool_config:\n          max_instances: 5\n          timeout: PT30S\n",
      "myai:\n  toolbox:\n    mcps: []\n",
    ],
  ])("writes in the dialect of the config file: %s", async (file, after, before) => {
    if (before !== "") write(file, before);
    const { code, stderr } = await run(write("from.json", servers({ a: { url: "https://a.example/mcp" } })), {
      to: file,
    });
    expect([code, stderr]).toEqual([0, ""]);
    if (file === "mcp.json") expect(JSON.parse(config(file))).toEqual(JSON.parse(after));
    else expect(config(file)).toBe(after);
  });

  it("leaves out servers that the file's dialect cannot express", async () => {
    write("toolbox.yaml", "myai:\n  toolbox:\n    mcps: []\n");
    const { code, stdout } = await run(write("from.json", servers({ a: { command: "x" } })), { to: "toolbox.yaml" });
    expect(code).toBe(0);
    expect(stdout).toContain("! skipped: servers below 'myai.toolbox' are reached by url\n");
    expect(config("toolbox.yaml")).toBe("myai:\n  toolbox:\n    mcps: []\n");
  });
});
