import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { EXAMPLES } from "./command-line/overview.ts";
import { rowsOf } from "./command-line/row.ts";
import { COMMAND_TABLE } from "./command-table/command-table.ts";
import { EXIT } from "./exit-code.ts";
import { runProgram } from "./program.ts";
import { createMemoryIo } from "./testing/memory-io.ts";

async function run(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const io = createMemoryIo();
  const code = await runProgram(argv, io);
  return { code, stdout: io.stdout.text(), stderr: io.stderr.text() };
}

const ROWS = rowsOf(COMMAND_TABLE);
const COMMANDS = ROWS.map(({ words }) => words);
const PRINTING_JSON = ROWS.flatMap(({ row, words }) => (row.json === undefined ? [] : [words]));

describe("the command line", () => {
  it("shows its version", async () =>
    expect(await run("--version")).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" }));

  it("shows help with every command, examples, and the exit codes", async () => {
    const { code, stdout } = await run("--help");
    expect(code).toBe(0);
    for (const { name } of COMMAND_TABLE) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"));
    for (const [example] of EXAMPLES) expect(stdout).toContain(`\n  ${example}`);
    for (const code of Object.values(EXIT)) expect(stdout).toMatch(new RegExp(`^  ${code} +[a-z]`, "m"));
  });

  it.each(COMMANDS)("implements %s in the file of that name", (command) => {
    expect(existsSync(new URL(`./commands/${command.replace(" ", "/")}.ts`, import.meta.url))).toBe(true);
  });

  it("has help that fits 80 columns, for every command", async () => {
    const groups = COMMAND_TABLE.map(({ name }) => name);
    for (const command of ["", ...groups, ...COMMANDS]) {
      const { stdout } = await run(...command.split(" ").filter((word) => word !== ""), "--help");
      expect([command, stdout.split("\n").filter((line) => line.length > 80)]).toEqual([command, []]);
    }
  });

  it.each(PRINTING_JSON)("documents the example and the JSON of %s", async (command) => {
    const { code, stdout } = await run(...command.split(" "), "--help");
    expect(code).toBe(0);
    expect(stdout).toContain(`Example:\n  tacklebox ${command}`);
    expect(stdout).toContain("JSON:\n  ");
    for (const option of ["--config <file>", "--json", "--log-level <level>", "--log-format <format>"])
      expect(stdout).toContain(option);
  });

  it.each([[], ["check"], ["grants", "list"], ["call", "x", "y"], ["deny"], ["doctor", "--repair"], ["acp"]])(
    "runs no command with a data folder that may have come with the current one: %j",
    async (...argv) => {
      const io = createMemoryIo({ env: { TACKLEBOX_DATA: "data" } });
      expect([await runProgram(argv, io), io.stdout.text(), io.stderr.text()]).toEqual([
        1,
        "",
        expect.stringContaining("TACKLEBOX_DATA=/project/data\n"),
      ]);
    },
  );

  it("takes no part of a hash for one that the call log has lost", async () => {
    const { code, stdout, stderr } = await run("calls", "verify", "--expect", "3f5a");
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("It must be a whole head, 64 digits")]);
  });

  it("shows help and version whatever the data folder is", async () => {
    for (const argv of [["--help"], ["check", "--help"], ["--version"]])
      expect(await runProgram(argv, createMemoryIo({ env: { TACKLEBOX_DATA: "data" } }))).toBe(0);
  });

  it("shows the first steps without a command", async () => {
    const { code, stdout, stderr } = await run();
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("There is no config file yet. First steps:\n  tacklebox init ");
  });

  it.each([
    [["nothing-like-it"], "error: unknown command 'nothing-like-it'\n"],
    [["chek"], "error: unknown command 'chek'\n(Did you mean check?)\n"],
    [["tools", "--sever", "x"], "error: unknown option '--sever'\n(Did you mean --server?)\n"],
    [["check", "extra"], "error: too many arguments for 'check'. Expected 0 arguments but got 1.\n"],
    [["why"], "error: missing required argument 'tool'\n"],
    [["call"], "error: name a tool, such as: tacklebox call files read_file path=notes.txt, or use --stdin\n"],
    [["call", "a=1"], "error: name a tool, such as: tacklebox call files read_file path=notes.txt, or use --stdin\n"],
    [["call", "s", "t", "x"], "error: 'x' is not an argument; write each as name=value, such as path=notes.txt\n"],
    [
      ["call", "s", "t", "a=1", "x"],
      "error: 'x' is not an argument; write each as name=value, such as path=notes.txt\n",
    ],
    [
      ["call", "s", "t", "{}", "--args", "{}"],
      "error: pass the JSON object only once; name=value arguments can be added to it\n",
    ],
    [["tools", "a", "b", "c"], "error: unexpected argument 'c'\n"],
    [
      ["call", "--stdin", "s", "t"],
      "error: --stdin takes server, tool and arguments from its input lines, not from the command line\n",
    ],
    [["call", "s", "t", "--metrics", "0"], "error: --metrics needs --stdin\n"],
    [
      ["call", "--stdin", "--metrics", "70000"],
      "error: option '--metrics <port>' argument '70000' is invalid. A port is a whole number from 0 to 65535.\n",
    ],
    [
      ["calls", "--limit", "0"],
      "error: option '--limit <count>' argument '0' is invalid. It must be a whole number from 1 to 999999.\n",
    ],
    [
      ["check", "--log-level", "loud"],
      "error: option '--log-level <level>' argument 'loud' is invalid. Allowed choices are debug, info, warn, error.\n",
    ],
  ])("exits 2 and says what is wrong with %j", async (argv, stderr) => {
    // The help of a known command, otherwise of the program.
    const program = stderr.includes("unknown command") ? "tacklebox" : `tacklebox ${argv[0]}`;
    expect(await run(...argv)).toEqual({ code: 2, stdout: "", stderr: `${stderr}Try \`${program} --help\`.\n` });
  });
});
