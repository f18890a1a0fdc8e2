import { describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { linesOf } from "../support/run-lines.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { fixtureServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

/** Nothing listens at this address, so an Ollama on this machine is not used. */
const nowhere = { OLLAMA_HOST: "127.0.0.1:9" };
const SCHEMA = { type: "object", properties: { text: { type: "string" } } };

async function toolbox(approval?: string): Promise<string> {
  const TOOLS = JSON.stringify([{ name: "say", inputSchema: SCHEMA }]);
  const tools = approval === undefined ? [] : [{ name: "say", approval }];
  return toolboxFile({ toolbox: { tools }, servers: { s: fixtureServer("mirror", { TOOLS }) } });
}

async function inNewFolder() {
  const env = { ...nowhere, TACKLEBOX_DATA: await temporaryFolder() };
  return { env, run: (...args: readonly string[]) => runProgram(args, { env }) };
}

/** The first column of a table's first row. */
function shownId(table: string): string {
  return table.split("\n")[1]?.split(" ", 1)[0] ?? "";
}

describe("calls ID", () => {
  it("shows the whole call: arguments, result, who asked, why it was allowed, and its times", async () => {
    const { run } = await inNewFolder();
    const config = await toolbox();
    await run("call", "s.say", "text=hello", "--config", config);
    const id = shownId((await run("calls")).stdout);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}$/);
    const { code, stdout, stderr } = await run("calls", id);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^Call {6}${id}-7[0-9a-f-]+\n`));
    expect(stdout).toMatch(/^Tool {6}say of server 's'$/m);
    expect(stdout).toMatch(/^Status {4}success$/m);
    expect(stdout).toMatch(/^Time {6}\S+ m?s$/m);
    expect(stdout).toMatch(/^Asked by {2}the command line$/m);
    expect(stdout).toMatch(/^Decision {2}allowed: The approval mode is auto$/m);
    expect(stdout).toContain('\nArguments\n{\n  "text": "hello"\n}\n');
    expect(stdout).toContain('\nResult\n{"tool":"say","arguments":{"text":"hello"}}\n');
    const json = parsed((await run("calls", id, "--json")).stdout);
    expect(json).toMatchObject({ server: "s", tool: "say", arguments: { text: "hello" }, caller: { door: "cli" } });
  });

  it("shows why a call failed, and whether it was sent", async () => {
    const { run } = await inNewFolder();
    const config = await toolbox("deny");
    await run("call", "s", "say", "--config", config);
    const { stdout } = await run("calls", shownId((await run("calls")).stdout));
    expect(stdout).toMatch(/^Status {4}denied$/m);
    expect(stdout).toMatch(/^Sent {6}no; the server never got it$/m);
    expect(stdout).toContain(
      `\nResult\nMCP error: Tool call denied: The tool setting is approval: deny (${config}:4). To allow it, change that setting\n`,
    );
  });

  it("lists the calls that an ambiguous beginning may mean, and refuses one that is too short or unknown", async () => {
    const { env, run } = await inNewFolder();
    const config = await toolbox();
    const stdin = ["aaaa-1", "aaaa-2", "bbbb-1"].map((text) => JSON.stringify({ tool: "say", arguments: { text } }));
    await runProgram(["call", "--stdin", "--config", config], { env, stdin: `${stdin.join("\n")}\n` });
    const ids: string[] = Object(parsed((await run("calls", "--json")).stdout)).calls.map(
      ({ id }: { id: string }) => id,
    );
    const several = await run("calls", (ids[0] ?? "").slice(0, 6));
    expect([several.code, several.stdout]).toEqual([2, ""]);
    expect(several.stderr).toMatch(/^Several calls have an id that begins with .+ Type more of the one you mean:\n/);
    for (const id of ids) expect(several.stderr).toMatch(new RegExp(`^ {2}${id} .+ s say$`, "m"));
    const short = await run("calls", (ids[0] ?? "").slice(0, 3));
    expect([short.code, short.stderr]).toEqual([
      2,
      `There is no call '${(ids[0] ?? "").slice(0, 3)}'. \`tacklebox calls\` shows them all. Give at least the first 4 characters of an id.\n`,
    ]);
    expect((await run("calls", "nothing")).stderr).toBe(
      "There is no call 'nothing'. `tacklebox calls` shows them all.\n",
    );
    expect((await run("calls", "nothing", "--follow")).code).toBe(2);
  });
});

describe("the beginning of an id", () => {
  it("names a session for sessions show and remove, run --session and chat --session", async () => {
    const { env, run } = await inNewFolder();
    const config = await toolbox();
    await run("run", "say text=hello", "--config", config);
    const id = shownId((await run("sessions", "list")).stdout);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}$/);
    const shown = parsed((await run("sessions", "show", id, "--json")).stdout);
    const whole: string = Object(shown).session.id;
    expect(whole.startsWith(id)).toBe(true);

    const later = await run("run", "say text=again", "--session", id, "--json", "--config", config);
    expect(linesOf(later.stdout)[0]).toMatchObject({ type: "run-started", session_id: whole });
    const piped = await runProgram(["chat", "--session", id, "--json", "--config", config], {
      env,
      stdin: "say text=third\n",
    });
    expect(linesOf(piped.stdout)[0]).toMatchObject({ type: "run-started", session_id: whole });

    await run("run", "say text=other", "--config", config);
    const ambiguous = await run("run", "hello", "--session", id.slice(0, 5), "--config", config);
    expect(ambiguous.code).toBe(1);
    expect(ambiguous.stderr).toMatch(
      /Several sessions have an id that begins with .+ Type more of the one you mean:\n/,
    );
    const removed = await run("sessions", "remove", id);
    expect([removed.code, removed.stdout]).toEqual([0, `Removed session ${whole} and what was allowed in it.\n`]);
  });

  it("names a grant to revoke", async () => {
    const { env, run } = await inNewFolder();
    const config = await toolbox();
    const chat = await startOnTerminal(["chat", "--config", config], { env });
    await chat.sees("› ");
    chat.type("say text=hello\r");
    await chat.sees("a+Enter always");
    chat.type("a");
    await chat.sees("a selected");
    chat.type("\r");
    await chat.sees("answered");
    chat.type("/quit\r");
    await chat.exit;
    const id = shownId((await run("grants", "list")).stdout);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}$/);
    const { code, stdout } = await run("grants", "revoke", id);
    expect([code, stdout]).toEqual([0, "Revoked: allow say of server s.\n"]);
  });
});
