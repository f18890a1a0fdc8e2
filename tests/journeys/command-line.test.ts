import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { fixtureServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

const COMMANDS = ["check", "servers", "tools", "search", "call", "run", "calls", "why", "trust"];
const EMPTY_TOOLBOX = "servers: {}\n";

/** Writes a config with this toolbox and a server whose tools answer `s:a` and so on. */
function collideToolbox(toolbox: object = {}): Promise<string> {
  return toolboxFile({ toolbox, servers: { s: fixtureServer("collide", { NAME: "s", TOOLS: "a,b,c" }) } });
}

describe("exit codes", () => {
  it("0 ok, 3 a call that ended in error, 4 denied", async () => {
    const config = await toolboxFile({
      toolbox: { tools: [{ name: "env", approval: "deny" }] },
      servers: { odd: fixtureServer("odd") },
    });
    const call = async (tool: string) => {
      const { code, stdout, stderr } = await runProgram(["call", "odd", tool, "--config", config]);
      return { code, stdout, stderr };
    };
    expect(await call("structured")).toMatchObject({ code: 0, stderr: "" });
    expect(await call("fail")).toEqual({ code: 3, stdout: "", stderr: "it broke\n" });
    expect(await call("fial")).toMatchObject({ code: 3, stdout: "" });
    expect(await call("env")).toEqual({
      code: 4,
      stdout: "",
      stderr: `MCP error: Tool call denied: The tool setting is approval: deny (${config}:4). To allow it, change that setting\n`,
    });
  });

  it("1 could not start: a required server is missing", async () => {
    const config = await toolboxFile({ servers: { gone: { command: "/nowhere/at/all", required: true } } });
    for (const command of [["check"], ["servers"], ["tools"], ["call", "gone", "x"], ["trust", "gone"]]) {
      const { code, stderr } = await runProgram([...command, "--config", config]);
      expect(code).toBe(1);
      expect(stderr).toContain("Failed to connect to MCP server 'gone' at /nowhere/at/all\n");
    }
  });

  it("0 ok: no command at all shows the first steps, with a config or without", async () => {
    const cwd = await temporaryFolder();
    const first = await runProgram([], { cwd });
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringContaining("There is no config file yet. First steps:\n  tacklebox init "),
    ]);
    const config = await writeConfig(cwd, "tacklebox.yaml", "servers: {}\n");
    const options = { cwd, env: { TACKLEBOX_DATA: await temporaryFolder() } };
    expect((await runProgram([], options)).stdout).toContain(`: tacklebox allow ${config}\n`);
    await runProgram(["allow"], options);
    const later = await runProgram([], options);
    expect([later.code, later.stdout]).toEqual([0, expect.stringContaining(`Your config file is ${config}\n`)]);
  });

  it.each([
    ["chekc", "error: unknown command 'chekc'\n(Did you mean check?)\nTry `tacklebox --help`.\n"],
    ["frobnicate", "error: unknown command 'frobnicate'\nTry `tacklebox --help`.\n"],
    ["check --cofnig x", "error: unknown option '--cofnig'\n(Did you mean --config?)\nTry `tacklebox check --help`.\n"],
    ["check --config", "error: option '--config <file>' argument missing\nTry `tacklebox check --help`.\n"],
    [
      "check now",
      "error: too many arguments for 'check'. Expected 0 arguments but got 1.\nTry `tacklebox check --help`.\n",
    ],
    ["why", "error: missing required argument 'tool'\nTry `tacklebox why --help`.\n"],
    [
      "calls --status odd",
      "error: option '--status <status>' argument 'odd' is invalid. Allowed choices are pending, running, success, error.\nTry `tacklebox calls --help`.\n",
    ],
    ["call s a --args {oops", "--args: not JSON: "],
    ["call s a --args [1]", '--args: arguments must be an object, such as {"message": "hello"}\n'],
  ])("2 usage: %j", async (line, text) => {
    const { code, stdout, stderr } = await runProgram(line.split(" "));
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.slice(0, text.length)).toBe(text);
  });

  it("2 usage: a server that is not configured, with those that are", async () => {
    const config = await collideToolbox();
    for (const args of [
      ["tools", "--server", "x"],
      ["trust", "x"],
      ["why", "a", "--server", "x"],
    ]) {
      const { code, stdout, stderr } = await runProgram([...args, "--config", config]);
      expect([code, stdout, stderr]).toEqual([2, "", `${config}\nNo server is named "x". Servers: s\n`]);
    }
  });

  it("2 usage: why of a tool that no server has", async () => {
    const { code, stdout, stderr } = await runProgram(["why", "z", "--config", await collideToolbox()]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe('No server has a tool named "z". `tacklebox tools` shows what may be called.\n');
  });
});

describe("help", () => {
  it("--version and -V print the version alone", async () => {
    const [long, short] = [await runProgram(["--version"]), await runProgram(["-V"])];
    expect(long).toMatchObject({ code: 0, stderr: "" });
    expect(long.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(short.stdout).toBe(long.stdout);
  });

  it("--help names every command, the exit codes, the config and the data folder", async () => {
    const { code, stdout } = await runProgram(["--help"]);
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, "m"));
    expect(stdout).toMatch(/^Exit codes:\n {2}0 +ok\n {2}1 +could not start\n/m);
    expect(stdout).toContain("TACKLEBOX_DATA");
  });

  it.each(COMMANDS)("%s --help has an example and the shape of its JSON, in lines that fit", async (command) => {
    const { code, stdout, stderr } = await runProgram([command, "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^Example:\n  tacklebox ${command}\\b`, "m"));
    expect(stdout).toMatch(/^JSON:\n {2}\{ /m);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });
});

describe("--json prints exactly the documented fields", () => {
  const SERVER = "name status transport address protocol required tools oddities quarantined name_conflicts";
  const OUTCOME = "id call_id server tool status is_error text content duration_ms";

  function keys(value: unknown): string[] {
    return Object.keys(Object(value)).sort();
  }
  const fields = (list: string) => list.split(" ").sort();
  /** The first element of the list under `key`. */
  function first(value: unknown, key: string): unknown {
    return Object(value)[key][0];
  }

  async function run(args: readonly string[], env: Record<string, string> = {}) {
    const { stdout, stderr } = await runProgram([...args, "--json"], { env });
    expect(stdout).toMatch(/^\{.*\}\n$/);
    const help = (await runProgram([args[0] ?? "", "--help"])).stdout;
    return { json: parsed(stdout), stderr, shape: help.slice(help.indexOf("JSON:")) };
  }
  function expectDocumented(shape: string, value: unknown, list: string): void {
    expect(keys(value)).toEqual(fields(list));
    for (const field of fields(list)) expect(shape).toMatch(new RegExp(`\\b${field}\\b`));
  }

  it("check and servers", async () => {
    const unusable = [{ name: "odd", inputSchema: { type: "string" } }];
    const list = await writeConfig(await temporaryFolder(), "tools.json", JSON.stringify(unusable));
    const config = await toolboxFile({
      toolbox: { tools: [{ name: "a" }] },
      servers: {
        strict: { ...fixtureServer("collide", { NAME: "s", TOOLS: "a,b" }), mode: "strict" },
        gone: { command: "/nowhere/at/all" },
        shifty: fixtureServer("shifty", { SHIFTY_FILE: list }),
      },
    });
    const check = await run(["check", "--config", config]);
    expectDocumented(check.shape, check.json, "ok servers down disabled tools problems warnings");
    expectDocumented(check.shape, first(check.json, "servers"), SERVER);
    expectDocumented(check.shape, first(check.json, "problems"), "kind server tool text");
    const servers = await run(["servers", "--config", config]);
    expectDocumented(servers.shape, servers.json, "servers problems");
    expect(keys(first(servers.json, "problems"))).toEqual(fields("kind server tool text"));
    const [strict, gone, shifty] = Object(servers.json).servers;
    expectDocumented(servers.shape, strict, SERVER);
    expectDocumented(servers.shape, gone, `${SERVER} cause retry`);
    expectDocumented(servers.shape, first(shifty, "quarantined"), "name reason");
  });

  it("tools, search and trust", async () => {
    const config = await collideToolbox({ tools: [{ name: "a", approval: "ask" }] });
    const tools = await run(["tools", "--config", config]);
    const TOOL = "name server tool description max_instances timeout_ms configured_by include input_schema";
    expectDocumented(tools.shape, tools.json, "tools");
    expectDocumented(tools.shape, first(tools.json, "tools"), `${TOOL} approval`);
    expect(keys(Object(tools.json).tools[1])).toEqual(fields(TOOL));
    const found = await run(["search", "a", "--config", config]);
    expectDocumented(found.shape, found.json, "query tools servers");
    expectDocumented(found.shape, first(found.json, "tools"), "name server tool description include score why");
    expectDocumented(found.shape, Object(first(found.json, "tools")).why, "named words server meaning");
    const trust = await run(["trust", "s", "--config", config]);
    expectDocumented(trust.shape, trust.json, "server accepted changed");
  });

  it("call and calls", async () => {
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    const config = await toolboxFile({ servers: { odd: fixtureServer("odd") } });
    const structured = await run(["call", "odd", "structured", "--config", config], env);
    expectDocumented(structured.shape, structured.json, `${OUTCOME} structured_content`);
    const refused = await run(["call", "odd", "big", "--config", config], env);
    expectDocumented(refused.shape, refused.json, `${OUTCOME} ending error problems`);
    expect(Object(refused.json).problems).toEqual([{ path: "", message: 'is missing "bytes"' }]);
    expect(Object(refused.json).text).toBe(`MCP error: Invalid arguments for tool 'big': missing argument "bytes"`);

    const calls = await run(["calls"], env);
    expectDocumented(calls.shape, calls.json, "calls");
    const [failed, succeeded] = Object(calls.json).calls;
    const TIMES = "waited_for_person_ms waited_for_slot_ms ran_ms";
    const CALL = `id server tool shown_name arguments status started_at completed_at caller ${TIMES}`;
    expectDocumented(calls.shape, failed, `${CALL} ending error sent`);
    expectDocumented(calls.shape, succeeded, `${CALL} result decision`);
  });

  it("why", async () => {
    const why = await run(["why", "a", "--config", await collideToolbox()]);
    expectDocumented(why.shape, why.json, "explanations problems");
    const explanation = first(why.json, "explanations");
    expectDocumented(why.shape, explanation, "server tool shown_name callable steps");
    expectDocumented(why.shape, first(explanation, "steps"), "step verdict text");
  });
});

describe("where the config is looked for", () => {
  it("--config, TACKLEBOX_CONFIG, ./tacklebox.yaml, ./tacklebox.json, then the user's config folder", async () => {
    const cwd = await temporaryFolder();
    const home = await temporaryFolder();
    const xdg = await temporaryFolder();
    const data = await temporaryFolder();
    const folders = [join(xdg, "tacklebox"), join(home, ".config", "tacklebox")];
    for (const folder of folders) await mkdir(folder, { recursive: true });
    const used = async (args: readonly string[] = [], env: Record<string, string> = {}) => {
      const { code, stderr } = await runProgram(["tools", "--server", "x", ...args], {
        cwd,
        env: { HOME: home, TACKLEBOX_DATA: data, ...env },
      });
      expect(code).toBe(2);
      return stderr.split("\n", 1)[0];
    };
    const write = (folder: string, name: string) => writeConfig(folder, name, JSON.stringify({ servers: {} }));

    const files = [
      await write(join(home, ".config", "tacklebox"), "tacklebox.json"),
      await write(join(home, ".config", "tacklebox"), "tacklebox.yaml"),
    ];
    expect(await used()).toBe(files[1]);
    const inXdg = await write(join(xdg, "tacklebox"), "tacklebox.json");
    expect(await used([], { XDG_CONFIG_HOME: xdg })).toBe(inXdg);
    const agree = () => runProgram(["allow"], { cwd, env: { TACKLEBOX_DATA: data } });
    const json = await write(cwd, "tacklebox.json");
    await agree();
    expect(await used([], { XDG_CONFIG_HOME: xdg })).toBe(json);
    const yaml = await write(cwd, "tacklebox.yaml");
    await agree();
    expect(await used()).toBe(yaml);
    await write(cwd, "other.yaml");
    await write(cwd, "named.yaml");
    expect(await used([], { TACKLEBOX_CONFIG: "named.yaml" })).toBe(join(cwd, "named.yaml"));
    expect(await used(["--config", "other.yaml"], { TACKLEBOX_CONFIG: "named.yaml" })).toBe(join(cwd, "other.yaml"));
  });
});

describe("where data is kept", () => {
  it.each([
    ["under HOME", {}, ".local/share/tacklebox/tacklebox.db"],
    ["where XDG_DATA_HOME says", { XDG_DATA_HOME: "HOME/xdg" }, "xdg/tacklebox/tacklebox.db"],
    [
      "where TACKLEBOX_DATA says, before all",
      { XDG_DATA_HOME: "HOME/xdg", TACKLEBOX_DATA: "HOME/d" },
      "d/tacklebox.db",
    ],
  ])("%s", async (_title, places, file) => {
    const home = await temporaryFolder();
    const config = await writeConfig(home, "tacklebox.yaml", EMPTY_TOOLBOX);
    const chosen = Object.entries(places).map(([name, place]) => [name, place.replace("HOME", home)]);
    const env = { HOME: home, TACKLEBOX_DATA: "", ...Object.fromEntries(chosen) };
    expect((await runProgram(["check", "--config", config], { env })).code).toBe(0);
    expect(existsSync(join(home, file))).toBe(true);
  });

  it("a data folder that cannot be created is reported, and not retried forever", async () => {
    const config = await writeConfig(await temporaryFolder(), "tacklebox.yaml", EMPTY_TOOLBOX);
    const { code, stderr } = await runProgram(["check", "--config", config], { env: { TACKLEBOX_DATA: "/proc/x" } });
    expect(code).toBe(1);
    expect(stderr).toBe(
      "Cannot open /proc/x/tacklebox.db: check that its folder can be created and that this user may write there.\nThe data folder is /proc/x; TACKLEBOX_DATA names another.\n",
    );
    const found = { cwd: dirname(config), env: { TACKLEBOX_DATA: "/proc/x" } };
    for (const command of ["allow", "deny"]) {
      const agreed = await runProgram([command], found);
      expect(agreed.code).toBe(1);
      expect(agreed.stderr).toMatch(
        /^\/proc\/x\/agreements\/\w+\.json cannot be written \(ENOENT\), so nothing was recorded/,
      );
    }
  });
});

describe("lists", () => {
  it("tools --server shows the tools of that server alone", async () => {
    const config = await toolboxFile({
      servers: {
        one: fixtureServer("collide", { NAME: "one", TOOLS: "a" }),
        two: fixtureServer("collide", { NAME: "two", TOOLS: "b" }),
      },
    });
    const { stdout } = await runProgram(["tools", "--server", "two", "--json", "--config", config]);
    expect(JSON.stringify(parsed(stdout).tools, ["name", "server"])).toBe('[{"name":"b","server":"two"}]');
  });

  it("calls reads well before the first call, and needs neither config nor data folder", async () => {
    const data = join(await temporaryFolder(), "not", "there");
    const { code, stdout, stderr } = await runProgram(["calls"], { env: { TACKLEBOX_DATA: data } });
    expect([code, stdout, stderr]).toEqual([0, "No calls are recorded yet. `tacklebox call` makes one.\n", ""]);
    expect(existsSync(data)).toBe(false);
  });

  it("calls filters by server, tool and status, newest first, up to the limit", async () => {
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    const config = await collideToolbox({ tools: [{ name: "b", approval: "deny" }] });
    for (const tool of ["a", "b", "c"]) await runProgram(["call", "s", tool, "--config", config], { env });
    const shown = async (...filters: readonly string[]) => {
      const { stdout } = await runProgram(["calls", "--json", ...filters], { env });
      return JSON.stringify(parsed(stdout).calls, ["tool", "status"]).replace(/"(tool|status)":/g, "");
    };
    expect(await shown()).toBe('[{"c","success"},{"b","error"},{"a","success"}]');
    expect(await shown("--limit", "2")).toBe('[{"c","success"},{"b","error"}]');
    expect(await shown("--status", "success")).toBe('[{"c","success"},{"a","success"}]');
    expect(await shown("--tool", "a")).toBe('[{"a","success"}]');
    expect(await shown("--server", "s", "--status", "error")).toBe('[{"b","error"}]');
    expect(await shown("--server", "elsewhere")).toBe("[]");
    const { stdout } = await runProgram(["calls", "--server", "elsewhere"], { env });
    expect(stdout).toBe("No recorded call matches. `tacklebox calls` without filters shows them all.\n");
  });
});
