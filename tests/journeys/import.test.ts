import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import type { Exit } from "../support/running-process.ts";
import { fixtureServer, parsed } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const KEY = "mU0zqvBk3l2Q8d1m0nJkq7oY5cWb9pXeR4tGhVfZsLA=";
const FIXTURES = fileURLToPath(new URL("../fixtures/configs/", import.meta.url));

/** Sets up a person's machine: a home, a working folder, a data folder, and a record of everything printed. */
async function openMachine() {
  const root = await temporaryFolder();
  const [home, cwd, data] = [join(root, "home"), join(root, "work"), join(root, "data")];
  await Promise.all([home, cwd, data].map((folder) => mkdir(folder)));
  const printed: string[] = [];
  return {
    home,
    cwd,
    config: () => readFile(join(cwd, "tacklebox.yaml"), "utf8"),
    async put(file: string, fixture: string): Promise<void> {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await copyFile(join(FIXTURES, fixture), join(root, file));
    },
    async run(...args: readonly string[]): Promise<Exit> {
      const env = { HOME: home, TACKLEBOX_DATA: data, TACKLEBOX_VAULT_KEY: KEY };
      const exit = await runProgram(args, { cwd, env });
      printed.push(exit.stdout, exit.stderr);
      return exit;
    },
    /** Finds where a text appears: in the output, the config, or a file of the data folder. */
    async findTraces(text: string): Promise<string[]> {
      const entries = await readdir(data, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      if (existsSync(join(cwd, "tacklebox.yaml"))) files.push(join(cwd, "tacklebox.yaml"));
      const contents = await Promise.all(files.map(async (file) => [file, await readFile(file)] as const));
      const places = [...contents, ["output", Buffer.from(printed.join("\n"))] as const];
      return places.flatMap(([place, bytes]) => (bytes.includes(text) ? [place] : []));
    },
  };
}

describe("importing, through the built program", () => {
  it.each([
    ["claude", "home/.config/Claude/claude_desktop_config.json", "claude-desktop.json", 3],
    ["claude", "home/.claude.json", "claude-code.json", 4],
    ["claude", "work/.mcp.json", "claude-project.mcp.json", 2],
    ["cursor", "home/.cursor/mcp.json", "cursor.json", 3],
    ["cursor", "work/.cursor/mcp.json", "cursor.json", 3],
    ["vscode", "home/.config/Code/User/mcp.json", "vscode-mcp.json", 2],
    ["vscode", "work/.vscode/settings.json", "vscode-settings.json", 1],
    ["zed", "home/.config/zed/settings.json", "zed-settings.json", 3],
  ])(
    "finds what %s keeps in %s; the second time changes nothing; no secret shows",
    async (program, file, fixture, count) => {
      const machine = await openMachine();
      await machine.put(file, fixture);
      const first = await machine.run("import", program, "--json");
      expect(first.code).toBe(0);
      const { servers } = parsed(first.stdout);
      expect(servers).toHaveLength(count);
      expect(servers).toEqual(Array(count).fill(expect.objectContaining({ result: "added", enabled: false })));

      const config = await machine.config();
      const second = await machine.run("import", program);
      expect(second.stdout).toContain("Nothing was changed: there are no new servers for ");
      expect([second.code, await machine.config()]).toEqual([0, config]);
      expect(await machine.findTraces("canary")).toEqual([]);
    },
  );

  it("T04 starts nothing, however hostile the file, not even when asked to enable servers", async () => {
    const machine = await openMachine();
    const canary = join(machine.cwd, "canary");
    const servers = Object.fromEntries(
      ["sh", "$(touch canary)", "npx", "./run\nme"].map((command, index) => [
        `s${index}`,
        { command, args: ["-c", `touch '${canary}'`, `; touch '${canary}'`, "`touch canary`"] },
      ]),
    );
    await writeFile(join(machine.cwd, "theirs.json"), JSON.stringify({ mcpServers: servers }));
    expect((await machine.run("import", "theirs.json", "--enable")).code).toBe(0);
    expect((await machine.run("import", join(FIXTURES, "hostile.json"))).code).toBe(0);
    expect((await machine.run("disable", "s0")).code).toBe(0);
    expect(existsSync(canary)).toBe(false);
    expect(await readdir(machine.cwd)).toEqual(["tacklebox.yaml", "theirs.json"]);
  });

  it("adds a server that works, with its secret from the vault, once it is enabled", async () => {
    const machine = await openMachine();
    const odd = fixtureServer("odd", { GREETING_TOKEN: "canary-that-is-used" });
    await writeFile(join(machine.cwd, "theirs.json"), JSON.stringify({ mcpServers: { odd } }));
    await machine.run("import", "theirs.json");
    expect(parsed((await machine.run("check", "--json")).stdout)).toMatchObject({
      ok: true,
      servers: [{ name: "odd", status: "disabled" }],
    });
    expect((await machine.run("enable", "odd")).code).toBe(0);
    const { stdout } = await machine.run("call", "odd", "env", "--json");
    expect(parsed(stdout).text).toContain('"GREETING_TOKEN":"[redacted]"');
    await writeFile(join(machine.cwd, "theirs.json"), "{}");
    expect(await machine.findTraces("canary-that-is-used")).toEqual([]);
  });

  it.each([
    ["broken.json", "The indentation does not fit the lines around it, or a closing bracket is missing."],
    ["duplicate-names.json", "The key 'a' is written twice in one map; remove one of them."],
    ["list-of-servers.json", "mcpServers must be a map of server names to entries"],
    ["no-servers.json", "No servers are described here: 'name' is not a key that does."],
    ["empty.json", "The file is empty."],
  ])("refuses %s, says where and writes nothing", async (fixture, text) => {
    const machine = await openMachine();
    const { code, stderr } = await machine.run("import", join(FIXTURES, fixture));
    expect(code).toBe(1);
    expect(stderr).toContain(`${join(FIXTURES, fixture)}:`);
    expect(stderr).toContain(text);
    expect(await readdir(machine.cwd)).toEqual([]);
  });
});
