import { describe, expect, it } from "vitest";
import { startEditor } from "../acp/support/editor.ts";
import { modelEntry, startScriptedVendor } from "../support/model-servers.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { answer, calls } from "../support/run-lines.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { fixtureServer, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const AT = /Metrics at (http:\/\/127\.0\.0\.1:\d+\/metrics)/;
const METRICS = ["--metrics", "0"];

/** A model that calls `echo` and then answers, for ever. */
async function config(): Promise<string> {
  const turns = Array.from({ length: 4 }, () => [calls(["echo", {}]), answer("Done.")]).flat();
  const vendor = await startScriptedVendor("openai chat", turns);
  const servers = { good: fixtureServer("collide", { NAME: "good", TOOLS: "echo" }) };
  return toolboxFile({ servers, models: { m: modelEntry("openai chat", vendor.url) } });
}

async function read(address: string | undefined): Promise<string> {
  if (address === undefined) throw new Error("no address of metrics");
  return (await fetch(address)).text();
}

const COUNTED = [
  expect.stringContaining('tool_usage_count{tool_name="echo"} 1\n'),
  expect.stringContaining('tool_calls_total{server="good",ending="success"} 1\n'),
];

describe("S4.37 metrics are served with --metrics", () => {
  it("by the chat", async () => {
    const chat = await startOnTerminal(["chat", "--approve", "auto", "--config", await config(), ...METRICS]);
    await chat.sees(AT, "› ");
    chat.type("go\r");
    await chat.sees("Done.");
    const text = await read(AT.exec(chat.sent())?.[1]);
    expect([text, text]).toEqual(COUNTED);
    chat.type("\u0004");
    expect((await chat.exit).code).toBe(0);
  });

  it("by a chat whose lines come from a pipe", async () => {
    const program = await startProgram(["chat", "--approve", "auto", "--config", await config(), ...METRICS]);
    const line = await program.waitForStderr((text) => AT.test(text));
    program.write("go\n");
    await program.waitForStdout((text) => text.includes("Done."));
    const text = await read(AT.exec(line)?.[1]);
    expect([text, text]).toEqual(COUNTED);
    program.endStdin();
    expect((await program.exit).code).toBe(0);
  });

  it("by a run, while it lasts", async () => {
    const turns = [calls(["echo", {}]), calls(["slow", { ms: 10_000_000 }])];
    const vendor = await startScriptedVendor("openai chat", turns);
    const servers = { good: fixtureServer("collide", { NAME: "good", TOOLS: "echo" }), gauge: fixtureServer("gauge") };
    const file = await toolboxFile({ servers, models: { m: modelEntry("openai chat", vendor.url) } });
    const program = await startProgram(["run", "go", "--json", "--config", file, ...METRICS]);
    program.endStdin();
    const line = await program.waitForStderr((text) => AT.test(text));
    await program.waitForStdout((text) => text.includes('"slow"'));
    const text = await read(AT.exec(line)?.[1]);
    expect([text, text]).toEqual(COUNTED);
    program.kill("SIGINT");
    expect((await program.exit).code).toBe(130);
  });

  it("to whom an editor's agent serves, from its first session on; stdout stays the protocol's", async () => {
    const editor = await startEditor({ args: ["--config", await config(), ...METRICS] });
    const { sessionId } = await editor.open(await temporaryFolder());
    await editor.agent.request("session/set_mode", { sessionId, modeId: "auto" });
    await editor.prompt(sessionId, "go");
    const text = await read(AT.exec(editor.program.stderr())?.[1]);
    expect([text, text]).toEqual(COUNTED);
    expect((await editor.quit()).code).toBe(0);
  });

  it("by none of them at an address that another program has", async () => {
    const file = await config();
    const first = await startProgram(["call", "--stdin", "--config", file, ...METRICS]);
    const [, address = ""] = AT.exec(await first.waitForStderr((text) => AT.test(text))) ?? [];
    const { port } = new URL(address);
    const message = `Cannot serve metrics on 127.0.0.1:${port}: the port is taken. Choose another --metrics PORT, or 0 for any.\n`;
    for (const command of [["run", "go"], ["chat"]])
      expect(await runProgram([...command, "--config", file, "--metrics", port])).toMatchObject({
        code: 1,
        stdout: "",
        stderr: message,
      });
  });
});
