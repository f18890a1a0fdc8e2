import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { CountingServer } from "../acp/support/listen-counting.ts";
import { startStalled } from "../acp/support/stalled.ts";
import { modelEntry, startScriptedVendor } from "../support/model-servers.ts";
import { until } from "../support/processes.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { answer, calls, linesOf, modelText, ofType, runScript } from "../support/run-lines.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { fixtureServer, nodeServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

/**
 * The others may take longer to connect than a test may take. A command that waits for one of them fails its test, so
 * that it ends at all is the proof that it did not wait.
 */
const LONGER_THAN_A_TEST = { timeout: "PT5M" };

const good = fixtureServer("collide", { NAME: "good", TOOLS: "echo" });
const silent = { ...nodeServer("-e", "setInterval(() => {}, 1e6)"), ...LONGER_THAN_A_TEST };

let stalled: CountingServer;
let servers: Readonly<Record<string, object>>;
beforeEach(async () => {
  stalled = await startStalled();
  servers = { silent, stalled: { url: stalled.url, ...LONGER_THAN_A_TEST }, good };
});

describe("beside a silent stdio server and a stalled http server, both optional", () => {
  it.each([
    ["call good echo", "good:echo"],
    ["why echo --server good", "callable as echo"],
    ["tools --server good", "echo"],
    ["prompts good", "No server offers prompts."],
    ["resources --server good", "No server offers resources."],
  ])("`%s` opens the server it names and no other", async (command, expected) => {
    const config = await toolboxFile({ servers });
    const { code, stdout } = await runProgram([...command.split(" "), "--config", config]);
    expect([code, stdout, stalled.sockets()]).toEqual([0, expect.stringContaining(expected), 0]);
  });

  it("S4.18 a command that names another server is still refused when a required one cannot be reached", async () => {
    const url = "http://127.0.0.1:9/mcp";
    const config = await toolboxFile({ servers: { ...servers, needed: { url, required: true } } });
    const { code, stdout, stderr } = await runProgram(["call", "good", "echo", "--config", config]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`Failed to connect to MCP server 'needed' at ${url}\nError: `);
  });

  it("`call --stdin` answers a line for the good one at once, even if the silent one is strict", async () => {
    const config = await toolboxFile({ servers: { ...servers, silent: { ...silent, mode: "strict" } } });
    const program = await startProgram(["call", "--stdin", "--config", config]);
    program.write('{"id":1,"server":"stalled","tool":"x"}\n{"id":2,"server":"good","tool":"echo"}\n');
    expect(parsed(await program.waitForStdout(() => true))).toMatchObject({ id: 2, status: "success" });
    program.kill("SIGINT");
    expect((await program.exit).code).toBe(130);
  });

  it("`run` works a prompt to its end that needs only the good one; a strict server does not hold it up either", async () => {
    const strict = { ...servers, silent: { ...silent, mode: "strict" } };
    const { code, lines, requests } = await runScript([calls(["echo", {}]), answer("Done.")], { servers: strict });
    expect([code, modelText(lines)]).toEqual([0, "Done."]);
    expect(ofType(lines, "call-ended")).toMatchObject([{ server: "good", status: "success" }]);
    expect(requests[0]?.body).toContain("MCP servers that are still connecting: 'silent', 'stalled'.");
  });

  it("the chat can be typed in at once, and a call of the good one does not wait for the others", async () => {
    const vendor = await startScriptedVendor("openai chat", [calls(["echo", {}]), answer("Done.")]);
    const config = await toolboxFile({ servers, models: { m: modelEntry("openai chat", vendor.url) } });
    const chat = await startOnTerminal(["chat", "--approve", "auto", "--config", config]);
    await chat.sees("› ");
    chat.type("do it\r");
    await chat.sees("echo", "Done.", "› ");
    chat.type("\u0004");
    expect((await chat.exit).code).toBe(0);
  });
});

it("a model that needs a server which is still coming waits for it by searching, and then calls its tool", async () => {
  const gate = join(await temporaryFolder(), "open");
  const { command, args } = nodeServer(String(good.args[0]), "stdio");
  const wait = `while [ ! -e '${gate}' ]; do sleep 0.02; done; exec '${command}' ${args.map((arg) => `'${arg}'`).join(" ")}`;
  const late = { command: "sh", args: ["-c", wait], env: { NAME: "late", TOOLS: "find_invoice" } };
  const vendor = await startScriptedVendor("openai chat", [
    calls(["search_tools", { query: "find_invoice" }]),
    calls(["call_tool", { name: "find_invoice", arguments: {} }]),
    answer("Done."),
  ]);
  const config = await toolboxFile({ servers: { good, late }, models: { m: modelEntry("openai chat", vendor.url) } });
  const program = await startProgram(["run", "which invoices are open?", "--json", "--config", config]);
  program.endStdin();
  await until(() => vendor.requests.length > 0, { describe: "the first request to the model" });
  await writeFile(gate, "");
  const { code, stdout } = await program.exit;
  expect([code, modelText(linesOf(stdout))]).toEqual([0, "Done."]);
  expect(vendor.requests[0]?.body).not.toContain("find_invoice");
  expect(ofType(linesOf(stdout), "call-ended").at(-1)).toMatchObject({ server: "late", status: "success" });
});
