import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { converse } from "../support/json-rpc.ts";
import { OFFLINE } from "../support/offline.ts";
import { type Exit, type RunningProcess, startProcess } from "../support/running-process.ts";
// biome-ignore lint/correctness/useImportExtensions: its types are beside it in a file with another extension
import { findNode, MAJORS } from "../support/scripts.mjs";
import { filesystemPath } from "../support/servers.ts";
import { startOnTerminal, type TerminalSession } from "../support/terminal.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { installPacked, type Packed, runNpm } from "./install-packed.ts";

const samples = fileURLToPath(new URL("../../examples/sample-folder", import.meta.url));

let packed: Packed;
beforeAll(async () => {
  packed = await installPacked();
});

describe("the package", () => {
  it("is small, and holds the program, its licences and its guides: no sources, tests or maps", async () => {
    const folder = dirname(dirname(packed.program));
    const files = (await readdir(folder, { recursive: true })).map((file) => file.replaceAll("\\", "/"));
    expect((await stat(packed.tarball)).size).toBeLessThanOrEqual(3_000_000);
    expect(files).toEqual(
      expect.arrayContaining([
        "LICENSE",
        "README.md",
        "THIRD-PARTY-LICENCES.md",
        "dist/main.js",
        "dist/search/word-vectors.bin",
        "docs/configuration.md",
        "schemas/tacklebox.schema.json",
      ]),
    );
    expect(files.filter((file) => /\.(map|ts|tgz)$|\.test\.|^(src|node_modules|tests)\//.test(file))).toEqual([]);
  });

  it("names nothing of the workspace it was made in", async () => {
    const manifest = JSON.parse(await readFile(join(dirname(packed.program), "../package.json"), "utf8"));
    expect(manifest).not.toHaveProperty("private");
    expect(manifest).not.toHaveProperty("devDependencies");
    expect(manifest).not.toHaveProperty("scripts");
    expect(Object.keys(manifest.dependencies)).toEqual(["@napi-rs/keyring", "@photostructure/sqlite"]);
  });

  it("has the licence of every package it contains", async () => {
    const page = await readFile(join(dirname(packed.program), "../THIRD-PARTY-LICENCES.md"), "utf8");
    const sections = page.split(/^## /m).slice(1);
    expect(sections.map((section) => section.split(" ", 1)[0])).toEqual(
      expect.arrayContaining(["@modelcontextprotocol/client", "commander", "kysely", "re2js", "yaml", "zod"]),
    );
    expect(sections.filter((section) => !/\n\nLicence: \S+\n\n> /.test(section))).toEqual([]);
  });

  it("has a README whose links lead to files of the package", async () => {
    const folder = dirname(dirname(packed.program));
    const links = [...(await readFile(join(folder, "README.md"), "utf8")).matchAll(/\]\(([^)#\s]+)/g)];
    const targets = links.map(([, target = ""]) => target).filter((target) => !/^[a-z]+:/.test(target));
    expect(targets.length).toBeGreaterThan(10);
    for (const target of targets) await expect(stat(join(folder, target)), target).resolves.toBeDefined();
  });

  it("is installed for all folders by `npm install -g`, and runs by `npx` without being installed", async () => {
    const prefix = await temporaryFolder();
    const npm = { npm_config_prefix: prefix, npm_config_cache: join(prefix, "cache") };
    await runNpm(["install", "-g", packed.tarball], prefix, npm);
    const program = await startProcess(join(prefix, "bin/tacklebox"), ["--version"], {
      cwd: prefix,
      env: { PATH: process.env.PATH ?? "" },
    });
    const { stdout } = await runNpm(
      ["exec", "--yes", "--package", packed.tarball, "--", "tacklebox", "--version"],
      prefix,
      npm,
    );
    expect([(await program.exit).stdout, stdout]).toEqual(["0.1.0\n", "0.1.0\n"]);
  });
});

for (const major of MAJORS) {
  const node = await findNode(major);
  if (node.kind === "found") describe(`the packed program on Node ${major}, offline`, () => tryOut(node.file));
  else it(`the packed program on Node ${major}: ${node.why}`, ({ skip }) => skip());
}

function tryOut(node: string): void {
  let cwd: string;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const folder = await temporaryFolder();
    cwd = join(folder, "work");
    const home = join(folder, "home");
    await mkdir(cwd);
    await mkdir(home);
    env = {
      PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`,
      HOME: home,
      TERM: "xterm",
      SHELL: "/bin/sh",
      // Keeps the tests from writing to the developer's keychain.
      TACKLEBOX_VAULT_KEY: "mU0zqvBk3l2Q8d1m0nJkq7oY5cWb9pXeR4tGhVfZsLA=",
    };
  });

  function start(...args: readonly string[]): Promise<RunningProcess> {
    return startProcess("env", [...OFFLINE, node, packed.program, ...args], { cwd, env });
  }

  function startChat(): Promise<TerminalSession> {
    return startOnTerminal(["chat"], { cwd, env, launcher: [...OFFLINE, node], script: packed.program });
  }

  async function run(...args: readonly string[]): Promise<Exit> {
    const running = await start(...args);
    running.endStdin();
    return running.exit;
  }

  it("helps people who have no config yet, and chats and runs prompts without one", async () => {
    const alone = await run();
    expect([alone.code, alone.stdout]).toEqual([
      0,
      expect.stringContaining("There is no config file yet. First steps:"),
    ]);
    const answer = await run("run", "hello");
    expect([answer.code, answer.stdout]).toEqual([0, expect.stringContaining("I am the demo model")]);
    expect(answer.stderr).toContain("No config file yet, so there are no tools. To create one: tacklebox init");
    const chat = await startChat();
    await chat.sees("No config file yet, so there are no tools.", "demo model", "› ");
    chat.type("\u0004");
    expect((await chat.exit).code).toBe(0);
    const refused = await run("tools");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("To create one: tacklebox init")]);
  });

  it("adds a server and finds it ready", async () => {
    const added = await run("add", "files", "--command", node, "--arg", filesystemPath, "--arg", samples);
    expect([added.code, added.stderr]).toEqual([0, ""]);
    const { code, stdout } = await run("check");
    expect([code, stdout]).toEqual([0, expect.stringContaining("14 tools may be called")]);
  });

  it("calls a tool and shows the record", async () => {
    const { code, stdout } = await run("call", "files", "read_file", "--args", '{"path":"packing-list.md"}');
    expect([code, stdout]).toEqual([0, expect.stringContaining("the small net")]);
    expect((await run("calls")).stdout).toMatch(/read_file +.*success/);
  });

  it("runs a prompt with the demo model", async () => {
    const { code, stdout } = await run("run", "read the file packing-list.md", "--model", "demo", "--approve", "auto");
    expect([code, stdout]).toEqual([0, expect.stringContaining("the small net")]);
  });

  it("chats on a terminal", async () => {
    const chat = await startChat();
    await chat.sees("files 14 tools", "› ");
    chat.type("list the files\r");
    await chat.sees("? 1 list_directory · files wants to run with", "no, because …");
    chat.type("y");
    await chat.sees("✓ 1 list_directory", "packing-list.md", "› ");
    chat.type("\u0004");
    expect((await chat.exit).code).toBe(0);
  });

  it("serves an editor: initialize, session/new, a prompt that calls a tool", async () => {
    const agent = await start("acp");
    const editor = converse(agent);
    expect(await editor.request("initialize", { protocolVersion: 1, clientCapabilities: {} })).toMatchObject({
      result: { protocolVersion: 1 },
    });
    const opened = await editor.request("session/new", { cwd, mcpServers: [] });
    const { sessionId } = opened.result as { sessionId: string };
    const prompt = [{ type: "text", text: "read the file packing-list.md" }];
    const asked = editor.send("session/prompt", { sessionId, prompt });
    const question = await editor.waitFor(({ method }) => method === "session/request_permission", "the question");
    const { options } = question.params as { options: readonly { kind: string; optionId: string }[] };
    const optionId = options.find(({ kind }) => kind === "allow_once")?.optionId;
    const outcome = { outcome: "selected", optionId };
    agent.write(`${JSON.stringify({ jsonrpc: "2.0", id: question.id, result: { outcome } })}\n`);
    expect(await editor.reply(asked)).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(agent.stdout()).toContain("the small net");
    agent.endStdin();
    expect((await agent.exit).code).toBe(0);
  });

  it("finds tools by meaning, with the vectors it comes with", async () => {
    const { stdout } = await run("search", "erase a document", "--json");
    const [{ tool, why }] = JSON.parse(stdout).tools;
    expect(tool).toBe("write_file");
    expect(why.meaning).toBeGreaterThan(0);
  });

  it("keeps a secret", async () => {
    const setting = await start("secret", "set", "github.token");
    setting.write("ghp_of-the-packed-program\n");
    setting.endStdin();
    expect((await setting.exit).code).toBe(0);
    const { stdout } = await run("secret", "list");
    expect(stdout).toContain("github.token");
    expect(stdout).not.toContain("ghp_");
  });

  it("has nothing for the doctor to complain about", async () => {
    const { code, stdout } = await run("doctor");
    expect([code, stdout]).toEqual([0, expect.stringContaining("0 problems")]);
    await writeFile(join(cwd, "tacklebox.yaml"), "servers: [\n");
    expect((await run("doctor")).code).toBe(1);
  });
}
