import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { parsed } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

const fixtures = fileURLToPath(new URL("../fixtures/configs", import.meta.url));

/** A home whose Claude Desktop and Cursor have servers, and an empty folder to work in. */
async function person(...programs: readonly ("claude" | "cursor")[]) {
  const home = await temporaryFolder();
  const cwd = join(home, "work");
  await mkdir(cwd);
  const copy = async (fixture: string, to: string) => {
    await mkdir(dirname(join(home, to)), { recursive: true });
    await copyFile(join(fixtures, fixture), join(home, to));
  };
  if (programs.includes("claude")) await copy("claude-desktop.json", ".config/Claude/claude_desktop_config.json");
  if (programs.includes("cursor")) await copy("cursor.json", ".cursor/mcp.json");
  const env = { HOME: home, TACKLEBOX_DATA: join(home, "data") };
  const own = join(home, ".config/tacklebox/tacklebox.yaml");
  const run = (...args: readonly string[]) => runProgram(args, { cwd, env });
  return { cwd, env, own, run, there: join(cwd, "tacklebox.yaml") };
}

/** Takes the `# ` away from every line that is an example, as a person would. */
function uncommentExamples(text: string): string {
  return text.replaceAll(/^( *)# (?= *(?:[a-z_]+:(?: |$)|- \{))/gm, "$1");
}

describe("tacklebox init without a terminal", () => {
  it("writes a commented file to the config folder, imports nothing, and says what is next", async () => {
    const { run, own, cwd } = await person("claude");
    const { code, stdout, stderr } = await run("init");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`Created ${own}

Next:
  tacklebox add --help  see how to add a server, or edit the file
  tacklebox check       connect every server and report problems
  tacklebox             start chatting
`);
    expect(await readFile(own, "utf8")).not.toContain("server-filesystem\n");
    expect(await readdir(cwd)).toEqual([]);
    const check = await run("check");
    expect([check.code, check.stderr, check.stdout]).toEqual([0, "", expect.stringContaining("Ready. 0 tools")]);
  });

  it("writes examples that work as they stand once they are uncommented", async () => {
    const { run, own, cwd } = await person();
    await run("init");
    const text = await readFile(own, "utf8");
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const examples = uncommentExamples(text);
    for (const line of ["  files:", "    command: npx", "  notes:", "toolbox:", "models:", "  local:"])
      expect(examples).toContain(`\n${line}`);
    // The program and the address are examples, so nothing is to be started.
    const off = examples.replaceAll(/^( {4})(?=command:|url:)/gm, "$1enabled: false\n$1");
    const config = await writeConfig(cwd, "uncommented.yaml", off);
    const { code, stdout, stderr } = await run("servers", "--json", "--log-level", "error", "--config", config);
    expect([code, stderr]).toEqual([0, ""]);
    expect(parsed(stdout).servers).toMatchObject([{ name: "files" }, { name: "notes" }]);
    const models = parsed((await run("model", "list", "--json", "--config", config)).stdout).models;
    expect(models).toContainEqual(expect.objectContaining({ name: "local", model_id: "qwen3:8b" }));
  });

  it("never changes a file that exists, and says how to go on", async () => {
    const { run, own, there, cwd } = await person();
    await run("init");
    const before = await readFile(own, "utf8");
    const again = await run("init");
    expect([again.code, again.stdout]).toEqual([1, ""]);
    expect(again.stderr).toContain(`${own}\nThere is a config file already, so nothing was changed.`);
    expect(await readFile(own, "utf8")).toBe(before);
    const json = await writeConfig(cwd, "tacklebox.json", "{}");
    expect((await run("init", "--here")).stderr).toContain(`${json}\nThere is a config file already`);
    expect(existsSync(there)).toBe(false);
  });

  it("--here agrees to the file it writes, so that commands in that folder use it at once", async () => {
    const { run, there } = await person();
    expect((await run("init", "--here")).stdout).toContain(`Created ${there}\n`);
    expect((await run("add", "files", "--command", "npx")).stdout).toBe(`Added 'files' to ${there}\n`);
    expect(parsed((await run("disable", "files", "--json")).stdout).result).toBe("disabled");
    const check = await run("check");
    expect([check.code, check.stderr]).toEqual([0, ""]);
    expect(await readFile(there, "utf8")).toContain("  # files:");
  });

  it("--yes imports every server that is found, whole and disabled, with its secrets in the vault", async () => {
    const { run, own } = await person("claude", "cursor");
    const { code, stdout } = await run("init", "--yes");
    expect(code).toBe(0);
    expect(stdout).toContain("filesystem  (from ");
    expect(stdout).toContain("           /home/ada/Documents\n  + added, disabled\n");
    expect(stdout).toContain("  tacklebox enable filesystem  enable a server\n");
    const text = await readFile(own, "utf8");
    for (const { name } of JSON.parse((await run("secret", "list", "--json")).stdout).secrets)
      expect(text).toContain(`\${secret:${name}}`);
    const { servers } = parsed((await run("servers", "--json")).stdout);
    expect(servers).toEqual(expect.arrayContaining([expect.objectContaining({ name: "maps", status: "disabled" })]));
    expect((await run("check")).code).toBe(0);
  });

  it("--yes --enable leaves servers disabled that would keep the file from loading, or come from this folder", async () => {
    const { run, cwd } = await person("cursor");
    await copyFile(join(fixtures, "claude-project.mcp.json"), join(cwd, ".mcp.json"));
    const { code, stdout } = await run("init", "--yes", "--enable");
    expect(code).toBe(0);
    expect(stdout).toContain("+ added, enabled\n");
    expect(stdout).toContain("+ added, disabled: it comes from the current folder, not from your own settings\n");
    const isOff = async (name: string) => parsed((await run("disable", name, "--json")).stdout).result === "unchanged";
    expect([await isOff("notes"), await isOff("api"), await isOff("maps")]).toEqual([true, true, false]);
    expect((await run("gpt", "list")).code).toBe(0);
  });

  it.each([
    [["--here", "--config", "x.yaml"], "--here and --config name two places"],
    [["--enable"], "--enable needs --yes"],
    [["--yes", "--no-import"], "contradict each other"],
  ])("2 usage: %j", async (args, message) => {
    const { run, own } = await person();
    expect(await run("init", ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect(existsSync(own)).toBe(false);
  });
});

describe("tacklebox init in a terminal", () => {
  it("shows each server whole, imports those that are wanted, and asks whether to enable them", async () => {
    const { cwd, env, own, run } = await person("claude");
    const terminal = await startOnTerminal(["init"], { cwd, env });
    await terminal.sees("Found 3 servers in your other programs", "filesystem  (from ", "/home/ada/Documents", "[n]: ");
    expect(existsSync(own)).toBe(false);
    terminal.type("y\r");
    await terminal.sees("GitHub-MCP  (from ", "[n]: ");
    terminal.type("what?\r");
    await terminal.sees("Please type y, n, a, s and press Enter.", "[n]: ");
    terminal.type("n\r");
    await terminal.sees("postgres  (from ", "[n]: ");
    terminal.type("\r");
    await terminal.sees("Enable what you imported?", "[n]: ");
    terminal.type("y\r");
    await terminal.sees(`Created ${own}`, "'filesystem': added, enabled", "Next:", "tacklebox check");
    expect((await terminal.exit).code).toBe(0);
    expect(parsed((await run("enable", "filesystem", "--json", "--config", own)).stdout).result).toBe("unchanged");
    expect((await run("enable", "postgres", "--config", own)).stderr).toContain("Servers: filesystem\n");
  });

  it("writes nothing when it is interrupted", async () => {
    const { cwd, env, own } = await person("claude");
    const terminal = await startOnTerminal(["init"], { cwd, env });
    await terminal.sees("[n]: ");
    terminal.type("\u0003");
    await terminal.sees("Nothing was written.");
    expect((await terminal.exit).code).toBe(130);
    expect([existsSync(own), existsSync(env.TACKLEBOX_DATA)]).toEqual([false, false]);
  });
});

describe("tacklebox without a command", () => {
  it("on a terminal, offers to create a config file, where there is none", async () => {
    const { cwd, env, own } = await person();
    const terminal = await startOnTerminal([], { cwd, env });
    await terminal.sees("There is no config file yet.", "1  create a config file", "[1]: ");
    terminal.type("\r");
    await terminal.sees(`Created ${own}`, "No servers were found in other programs.");
    expect((await terminal.exit).code).toBe(0);
  });

  it("on a terminal, opens the chat: at once with a config file, or when that is chosen", async () => {
    const { cwd, env, run } = await person();
    const without = await startOnTerminal([], { cwd, env });
    await without.sees("[1]: ");
    without.type("2\r");
    await without.sees("› ");
    without.type("hello\r");
    await without.sees("I am the demo model", "› ");
    without.type("\u0004");
    expect((await without.exit).code).toBe(0);

    await run("init");
    const chat = await startOnTerminal([], { cwd, env });
    await chat.sees("› ");
    expect(chat.sent()).not.toContain("What would you like to do?");
    chat.type("\u0004");
    expect((await chat.exit).code).toBe(0);
  });

  it("on a terminal, asks about a config file in the current folder before the chat begins", async () => {
    const { cwd, env } = await person();
    await writeConfig(cwd, "tacklebox.yaml", "servers: { a: { command: touch, args: [started] } }\n");
    const terminal = await startOnTerminal([], { cwd, env });
    await terminal.sees("Type yes to agree: ");
    terminal.type("no\r");
    expect((await terminal.exit).code).toBe(1);
    expect(existsSync(join(cwd, "started"))).toBe(false);
  });

  it("on a pipe, prints the first steps and succeeds", async () => {
    const { run } = await person();
    const { code, stdout, stderr } = await run();
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n").length).toBeLessThan(12);
    expect(stdout).toContain("  tacklebox init      create one");
  });
});

describe("without a config file", () => {
  it("run answers, and chat does so from a pipe", async () => {
    const { env, cwd } = await person();
    const options = { cwd, env: { ...env, OLLAMA_HOST: "127.0.0.1:9" } };
    const run = await runProgram(["run", "hello"], options);
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining("I am the demo model")]);
    const chat = await runProgram(["chat"], { ...options, stdin: "hello\n" });
    expect([chat.code, chat.stdout]).toEqual([0, expect.stringContaining("I am the demo model")]);
  });
});
