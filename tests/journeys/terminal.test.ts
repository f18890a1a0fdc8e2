import { describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { runOnTerminal } from "../support/terminal.ts";
import { fixtureServer, nodeServer, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

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

/** Colours, a title, a bell, backwards text, invisible text, a C1 command and an overwritten line. */
const HOSTILE = "\u001b[35mEVIL\u001b]0;owned\u0007 \u202eesrever\u2066 \u200b\u{e0041} \u009b35m safe\rtrap\nnext";

/** Says the hostile text wherever a server can say anything. */
const HOSTILE_SERVER = `
import { createInterface } from "node:readline";
const hostile = ${JSON.stringify(HOSTILE)};
process.stderr.write(hostile + "\\n");
if (process.argv[2] === "die") process.exit(1);
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const inputSchema = { type: "object" };
const results = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: hostile, version: hostile },
    instructions: hostile,
  },
  "tools/list": {
    tools: ["look", "fail", "refuse", hostile].map((name) => ({ name, title: hostile, description: hostile, inputSchema })),
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const progressToken = params?._meta?.progressToken;
  if (progressToken !== undefined)
    send({ method: "notifications/progress", params: { progressToken, progress: 1, message: hostile } });
  const isCall = method === "tools/call" && params.name !== "refuse";
  const result = isCall
    ? { content: [{ type: "text", text: hostile }], isError: params.name === "fail" }
    : results[method];
  send(result === undefined ? { id, error: { code: -32601, message: hostile } } : { id, result });
}
`;

describe("T18 nothing a server says is obeyed by the terminal", () => {
  /** What we write ourselves: colours, and erasing the progress line. */
  const OURS = new RegExp(`${ESCAPE}\\[(?:0|1|2|31|32|33)m|\r${ESCAPE}\\[2K`, "g");
  const DECEIVING = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u{e0000}-\u{e007f}]/u;

  async function hostileToolbox(): Promise<string> {
    const program = await writeConfig(await temporaryFolder(), "server.mjs", HOSTILE_SERVER);
    return toolboxFile({ servers: { hostile: nodeServer(program), dying: nodeServer(program, "die") } });
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
