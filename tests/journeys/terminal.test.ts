import { describe, expect, it } from "vitest";
import { DECEIVING, HOSTILE, hostileServer } from "../support/hostile-server.ts";
import { runProgram } from "../support/program.ts";
import { runOnTerminal } from "../support/terminal.ts";
import { fixtureServer, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const ESCAPE = "\u001b";
const COLOUR = new RegExp(`${ESCAPE}\\[\\d+m`);

describe("colour", () => {
  const collide = () => toolboxFile({ servers: { s: fixtureServer("collide", { NAME: "s", TOOLS: "a" }) } });

  it("is for terminals", async () => {
    const { code, screen } = await runOnTerminal(["servers", "--config", await collide()]);
    expect(code).toBe(0);
    expect(screen).toContain("\u001b[1mNAME\u001b[0m");
    expect(screen).toContain("\u001b[32mconnected\u001b[0m");
  });

  it.each([{ NO_COLOR: "1" }, { TERM: "dumb" }])("is left out with %j", async (env) => {
    const { code, screen } = await runOnTerminal(["servers", "--config", await collide()], env);
    expect(code).toBe(0);
    expect(screen).toContain("connected");
    expect(screen).not.toMatch(COLOUR);
  });

  it("no escape at all reaches a dumb terminal", async () => {
    const { screen } = await runOnTerminal(["tools", "--config", await collide()], { TERM: "dumb" });
    expect(screen).not.toContain(ESCAPE);
  });

  it.each(["servers", "tools", "check", "why a", "call s a", "trust s", "calls", "check --help"])(
    "is not written to a pipe by %s, nor is any other escape",
    async (line) => {
      const args = [...line.split(" "), "--config", await collide()];
      const { code, stdout, stderr } = await runProgram(args, { env: { TERM: "xterm" } });
      expect(code).toBe(0);
      expect(stdout + stderr).not.toContain(ESCAPE);
    },
  );
});

describe("T18 nothing a server says is obeyed by the terminal", () => {
  /** Sequences we write ourselves: colours, and erasing the progress line. */
  const OURS = new RegExp(`${ESCAPE}\\[(?:0|1|2|31|32|33)m|\r${ESCAPE}\\[2K`, "g");

  async function hostileToolbox(): Promise<string> {
    return toolboxFile({ servers: { hostile: await hostileServer(), dying: await hostileServer("die") } });
  }

  it.each([
    ["servers", 0],
    ["servers --json", 0],
    ["tools", 0],
    ["tools --json", 0],
    ["check --log-level debug", 0],
    ["check --log-level debug --log-format json", 0],
    ["why look", 0],
    ["call hostile look", 0],
    ["call hostile look --json", 0],
    ["call hostile fail", 3],
    ["call hostile refuse", 3],
    ["call hostile NAME", 0],
    ["why NAME", 0],
  ])("%s", async (line, exit) => {
    const args = line.split(" ").map((word) => (word === "NAME" ? HOSTILE : word));
    const data = await temporaryFolder();
    const config = await hostileToolbox();
    const { code, screen } = await runOnTerminal([...args, "--config", config], { TACKLEBOX_DATA: data });
    expect(screen.replace(OURS, "")).not.toMatch(DECEIVING);
    expect(code).toBe(exit);
    const log = await runOnTerminal(["calls"], { TACKLEBOX_DATA: data });
    expect(log.screen.replace(OURS, "")).not.toMatch(DECEIVING);
    expect(log.code).toBe(0);
  });

  it("what it said is shown, with its tricks made visible", async () => {
    const { screen } = await runOnTerminal(["call", "hostile", "look", "--config", await hostileToolbox()]);
    expect(screen).toContain(
      "\\x1b[35mEVIL\\x1b]0;owned\\x07 \\u202eesrever\\u2066 \\u200b\\u{e0041} \\x9b35m safe\\rtrap\nnext\n",
    );
  });

  it("and passed on unchanged where a program reads it", async () => {
    const { stdout } = await runProgram(["call", "hostile", "look", "--config", await hostileToolbox()]);
    expect(stdout).toBe(`${HOSTILE}\n`);
  });
});
