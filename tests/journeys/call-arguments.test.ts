import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { builtProgram, runProgram } from "../support/program.ts";
import { fixtureServer, nodeServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const SAVE = {
  name: "save_note",
  description: "Saves a note.\nKeeps the older one.",
  inputSchema: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 3, description: "Where to save it" },
      copies: { type: "integer", minimum: 1, maximum: 9, default: 1 },
      ratio: { type: "number" },
      draft: { type: "boolean" },
      state: { enum: ["open", "closed"] },
      tags: { type: "array", items: { type: "string" } },
      until: { anyOf: [{ type: "string", format: "date" }, { type: "null" }] },
      options: { $ref: "#/$defs/Options" },
    },
    required: ["path", "state"],
    $defs: { Options: { type: "object", properties: { depth: { type: "integer" }, dry: { type: "boolean" } } } },
  },
  annotations: { readOnlyHint: false, destructiveHint: false },
};
const DOTTED = { name: "notes.list", inputSchema: { type: "object" } };

function mirror(...tools: readonly object[]) {
  return fixtureServer("mirror", { TOOLS: JSON.stringify(tools) });
}

async function notes(more: object = {}): Promise<string> {
  return toolboxFile({ servers: { notes: mirror(SAVE, DOTTED), ...more } });
}

/** What the server was called with. */
async function received(config: string, args: readonly string[], stdin?: string): Promise<unknown> {
  const options = stdin === undefined ? {} : { stdin };
  const { code, stdout, stderr } = await runProgram(["call", ...args, "--config", config], options);
  expect([code, stderr]).toEqual([0, ""]);
  return parsed(stdout);
}

const REQUIRED = ["path=a.txt", "state=open"];

describe("call with name=value", () => {
  it("takes the types of the values from the tool's schema", async () => {
    const typed = ["path=123", "state=closed", "copies=3", "ratio=-0.5", "draft=true", "tags=a", "tags=7"];
    const nested = ["options.depth=2", "options.dry=false", "until:=null"];
    expect(await received(await notes(), ["notes", "save_note", ...typed, ...nested])).toEqual({
      tool: "save_note",
      arguments: {
        path: "123",
        state: "closed",
        copies: 3,
        ratio: -0.5,
        draft: true,
        tags: ["a", "7"],
        options: { depth: 2, dry: false },
        until: null,
      },
    });
  });

  it("still takes one JSON object: as a word, with --args, from stdin, and with name=value on top", async () => {
    const config = await notes();
    const json = '{"path":"abc","state":"open"}';
    const given = { tool: "save_note", arguments: { path: "abc", state: "open" } };
    expect(await received(config, ["notes", "save_note", json])).toEqual(given);
    expect(await received(config, ["notes", "save_note", "--args", json])).toEqual(given);
    expect(await received(config, ["notes", "save_note", "--args", "-"], json)).toEqual(given);
    expect(await received(config, ["notes", "save_note", json, "path=x y", "copies=2"])).toEqual({
      tool: "save_note",
      arguments: { path: "x y", state: "open", copies: 2 },
    });
  });

  it("finds the tool as SERVER TOOL, SERVER.TOOL or by its name alone, also if names have dots", async () => {
    const config = await toolboxFile({
      servers: { notes: mirror(SAVE, DOTTED), "notes.old": mirror({ ...DOTTED, name: "list" }) },
    });
    for (const words of [["notes", "save_note"], ["notes.save_note"], ["notes/save_note"], ["save_note"]])
      expect(await received(config, [...words, ...REQUIRED])).toMatchObject({ tool: "save_note" });
    expect(await received(config, ["notes", "notes.list"])).toMatchObject({ tool: "notes.list" });
    // The longest server name comes first, and a server's name before a tool's.
    expect(await received(config, ["notes.old.list"])).toMatchObject({ tool: "list" });
    expect(await received(config, ["notes.list"])).toMatchObject({ tool: "notes.list" });
  });

  it("starts the named server and no other, and for a name alone waits for nobody else", async () => {
    const folder = await temporaryFolder();
    const touched = join(folder, "started");
    const env = { TACKLEBOX_DATA: join(folder, "data") };
    const config = await notes({ other: { command: "touch", args: [touched] } });
    for (const words of [["notes", "save_note"], ["notes.save_note"]]) {
      const { code } = await runProgram(["call", ...words, ...REQUIRED, "--config", config], { env });
      expect([code, existsSync(touched)]).toEqual([0, false]);
    }
  });

  it("does not wait for a silent server, even if the tool is named alone", async () => {
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    const mute = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
    // Waiting for it would outlast the test.
    const config = await notes({ mute: { ...mute, timeout: 300 } });
    for (const words of [["notes.save_note"], ["save_note"]]) {
      const { code } = await runProgram(["call", ...words, ...REQUIRED, "--config", config], { env });
      expect(code).toBe(0);
    }
  });
});

describe("a call with wrong arguments", () => {
  it("is told what is missing, what the tool takes, and an example that works when pasted", async () => {
    const config = await notes();
    const { code, stdout, stderr } = await runProgram(["call", "notes", "save_note", "state=open", "--config", config]);
    expect([code, stdout]).toEqual([3, ""]);
    const [first, blank, signature, example = ""] = stderr.split("\n");
    expect(first).toBe(`MCP error: Invalid arguments for tool 'save_note': missing argument "path"`);
    expect([blank, signature]).toEqual([
      "",
      'save_note(path: string, state: "open" | "closed", copies?: integer, ratio?: number, draft?: boolean, tags?: string[], until?: string | null, options?: { depth?: integer, dry?: boolean })',
    ]);
    expect(example).toBe(`Example: tacklebox call notes save_note path=notes.txt state=open --config ${config}`);
    expect(await pasted(example.replace("Example: ", ""))).toMatchObject({ tool: "save_note" });
  });

  it.each<[string, string]>([
    ["copies=many", 'Argument "copies" must be a whole number, not "many".'],
    ["draft=yes", 'Argument "draft" must be true or false, not "yes".'],
    ["state=shut", 'Argument "state" must be one of: "open", "closed", not "shut".'],
    [
      "pathh=a",
      'The tool has no argument "pathh". Did you mean "path"? It takes: path, copies, ratio, draft, state, tags, until, options.',
    ],
    ["options.dept=1", 'The tool has no argument "options.dept". Did you mean "options.depth"?'],
    ["copies:=many", 'Argument "copies" is not JSON: '],
  ])("%s is refused before anything is sent or recorded", async (argument, text) => {
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    const config = await notes();
    const line = ["call", "notes", "save_note", ...REQUIRED.slice(0, 1), argument, "--config", config];
    const { code, stdout, stderr } = await runProgram(line, { env });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(new RegExp(`^${text.replaceAll(/[.?"()]/g, "\\$&")}`));
    expect(stderr).toContain("\nExample: tacklebox call notes save_note ");
    expect((await runProgram(["calls"], { env })).stdout).toContain("No calls are recorded yet.");
  });

  it("names several wrong ones at once, and an unknown one that only the schema forbids", async () => {
    const closed = {
      name: "closed",
      inputSchema: { type: "object", properties: { path: {} }, additionalProperties: false },
    };
    const config = await toolboxFile({ servers: { s: mirror(closed) } });
    const call = async (...args: string[]) =>
      (await runProgram(["call", "s", "closed", ...args, "--config", config])).stderr;
    expect(await call('{"pth":1,"c":2}')).toContain(
      `Invalid arguments for tool 'closed': unknown argument "pth" (did you mean "path"?); unknown argument "c"\n`,
    );
  });

  it("names the tools of a server that was named without one", async () => {
    const { code, stderr } = await runProgram(["call", "notes", "--config", await notes()]);
    expect([code, stderr]).toEqual([
      2,
      "'notes' is a server; name one of its tools too. It has: save_note, notes.list.\n`tacklebox tools --server notes` lists them.\n",
    ]);
  });
});

describe("tools NAME", () => {
  it("describes one tool: signature, arguments, limits, approval, claims, and an example that works", async () => {
    const config = await toolboxFile({
      toolbox: { tools: [{ name: "save_note", max_instances: 2, timeout: 9, approval: "ask" }] },
      servers: { notes: mirror(SAVE, DOTTED) },
    });
    for (const name of [
      ["notes", "save_note"],
      ["notes.save_note"],
      ["save_note"],
      ["save_note", "--server", "notes"],
    ]) {
      const { code, stdout, stderr } = await runProgram(["tools", ...name, "--config", config]);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toBe(`save_note(path: string, state: "open" | "closed", copies?: integer, ratio?: number, draft?:
boolean, tags?: string[], until?: string | null, options?: { depth?: integer, dry?: boolean })

Saves a note.
Keeps the older one.

Arguments
  path     string, required, at least 3 characters
           Where to save it
  state    "open" | "closed", required
  copies   integer, optional, 1 to 9, default 1
  ratio    number, optional
  draft    boolean, optional
  tags     string[], optional
  until    string | null, optional, format date
  options  { depth?: integer, dry?: boolean }, optional

Server    notes
Limits    2 at once, 9 s each
Approval  asks first; denied where nobody can be asked (approval: ask)
Models    always see it (include: always)
Claims    The server says it changes things but destroys no data. This is not verified.

Example
  tacklebox call notes save_note path=notes.txt state=open --config ${config}
`);
    }
  });

  it("has the schema with --json, and lists a server's tools by the server's name", async () => {
    const config = await notes();
    const one = await runProgram(["tools", "save_note", "--json", "--config", config]);
    expect(parsed(one.stdout)).toMatchObject({ tools: [{ name: "save_note", input_schema: SAVE.inputSchema }] });
    const listed = await runProgram(["tools", "notes", "--json", "--config", config]);
    expect(parsed(listed.stdout)).toMatchObject({ tools: [{ name: "save_note" }, { tool: "notes.list" }] });
  });

  it("suggests a near name, and says how to find out more", async () => {
    const { code, stderr } = await runProgram(["tools", "notes.save_nota", "--config", await notes()]);
    expect([code, stderr]).toEqual([
      2,
      "No tool 'save_nota' of server 'notes' may be called. Did you mean 'save_note'? `tacklebox why save_nota --server notes` explains why.\n",
    ]);
    const unknown = await runProgram(["tools", "nowhere", "save_note", "--config", await notes()]);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('No server is named "nowhere".')]);
  });

  it("gives an example for each tool of a real server, which the schema accepts", async () => {
    const { everythingPath } = await import("../support/servers.ts");
    const config = await toolboxFile({ servers: { everything: nodeServer(everythingPath) } });
    for (const tool of ["echo", "get-sum", "get-resource-reference"]) {
      const { stdout } = await runProgram(["tools", "everything", tool, "--config", config]);
      const example = stdout.trimEnd().split("\n").at(-1) ?? "";
      expect(await runExample(example.trim())).not.toContain("Invalid arguments");
    }
  });
});

/** Runs a command line in a shell, where `tacklebox` is the built program. */
async function runExample(line: string): Promise<string> {
  const home = await temporaryFolder();
  const script = `tacklebox() { '${process.execPath}' '${builtProgram}' "$@"; }; ${line}`;
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  const { stdout } = await promisify(execFile)("sh", ["-c", script], { env, cwd: home });
  return stdout;
}

async function pasted(line: string): Promise<unknown> {
  return parsed(await runExample(line));
}
