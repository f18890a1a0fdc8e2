import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type EngineHost, parseConfig, streamRun } from "@tacklebox/core";
import { allow, asksFor, says } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { modelEntry, startScriptedVendor } from "../support/model-servers.ts";
import { openRealEngine } from "../support/real-engine.ts";
import { answer, calls } from "../support/run-lines.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { fixtureServer, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const good = fixtureServer("collide", { NAME: "good", TOOLS: "echo,other" });

describe("what a person can change from within the chat", () => {
  it("/approve says who decides, and changes it from the next prompt on", async () => {
    const vendor = await startScriptedVendor("openai chat", [calls(["echo", {}]), answer("Done.")]);
    const config = await toolboxFile({ servers: { good }, models: { m: modelEntry("openai chat", vendor.url) } });
    const chat = await startOnTerminal(["chat", "--config", config]);
    await chat.sees("good 2 tools", "› ");
    chat.type("/approve\r");
    await chat.sees("Now always-ask: you are asked about every call.", "/approve auto: calls run without asking");
    chat.type("/approve sometimes\r");
    await chat.sees("There is no mode 'sometimes'. Modes: auto, always-ask, trusted-only");
    chat.type("/approve auto\r");
    await chat.sees("From now on calls run without asking.");
    chat.type("go\r");
    await chat.sees("Done.");
    expect(chat.sent()).not.toContain("wants to run");
    chat.type("\u0004");
    expect((await chat.exit).code).toBe(0);
  });

  it("/reconnect restarts the server it names, and says what became of one that cannot be started", async () => {
    const broken = { command: "tacklebox-test-no-such-program" };
    const starts = join(await temporaryFolder(), "starts");
    const line = [good.command, ...good.args].map((word) => `'${word}'`).join(" ");
    const traced = { ...good, command: "sh", args: ["-c", `echo started >> '${starts}'; exec ${line}`] };
    const config = await toolboxFile({ servers: { good: traced, broken } });
    const chat = await startOnTerminal(["chat", "--config", config], { columns: 160 });
    await chat.sees("good 2 tools", "› ");
    chat.type("/reconnect good\r");
    await chat.sees("good is up, with 2 tools.");
    expect(await readFile(starts, "utf8")).toBe("started\nstarted\n");
    chat.type("/reconnect\r");
    await chat.sees("broken could not be connected: ", "› ");
    chat.type("/reconnect nobody\r");
    await chat.sees("There is no server 'nobody'. /servers shows them all.", "› ");
    chat.type("\u0004");
    expect((await chat.exit).code).toBe(0);
  });

  it("/grants lists what holds for longer than one call, and takes one back by its number", async () => {
    const data = await temporaryFolder();
    await grantForGood(data);
    const config = await toolboxFile({ servers: { good } });
    const chat = await startOnTerminal(["chat", "--config", config], { env: { TACKLEBOX_DATA: data } });
    await chat.sees("good 2 tools", "› ");
    chat.type("/grants\r");
    await chat.sees("allowed", "echo", "for good", "/grants revoke N takes one back.");
    chat.type("/grants revoke 2\r");
    await chat.sees("There is no grant 2. /grants shows them all.");
    chat.type("/grants revoke 1\r");
    await chat.sees("echo of good is no longer allowed");
    chat.type("/grants\r");
    await chat.sees("Nothing is allowed or denied for longer than one call.");
    chat.type("\u0004");
    expect((await chat.exit).code).toBe(0);
  });
});

/** Has a person allow `echo` for good, with an engine on the same data folder. */
async function grantForGood(data: string): Promise<void> {
  const parsed = parseConfig(stringify({ servers: { good } }), { file: "x.yaml", env: {} });
  if (parsed.kind === "invalid") throw new Error(JSON.stringify(parsed.problems));
  const turns = [asksFor({ id: "m1", tool: "echo", arguments: {} }), says("ok")];
  const { engine, ...host }: EngineHost = await openRealEngine(data, parsed.config, { turns });
  await host.start();
  const request = { prompt: [{ type: "text", text: "go" } as const], approvalMode: "always-ask" } as const;
  for await (const event of streamRun(engine, request, { attended: true }))
    if (event.type === "approval-requested")
      await engine.approvals.answer(event.request.callId, { ...allow(event.request), lasting: "always" });
  await host.stop();
}
