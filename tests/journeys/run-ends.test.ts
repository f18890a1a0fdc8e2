import { join } from "node:path";
import type { TurnScript } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { callRecords } from "../support/call-records.ts";
import { gaugeEvents, untilStarted } from "../support/gauge-log.ts";
import { LANGUAGES, modelEntry, startScriptedVendor } from "../support/model-servers.ts";
import { processesWithMarker, until } from "../support/processes.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { answer, calls, linesOf, modelText, ofType } from "../support/run-lines.ts";
import { everythingPath } from "../support/servers.ts";
import { runOnTerminal } from "../support/terminal.ts";
import { fixtureServer, nodeServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const HOURS = 10_000_000;
const slowCall = (ms: number) => calls(["slow", { ms }]);

/** Sets up a gauge server, whose log shows its calls, and a model that follows the script. */
async function setUp(turns: readonly TurnScript[], language: (typeof LANGUAGES)[number] = "openai chat") {
  const folder = await temporaryFolder();
  const marker = `marker-${crypto.randomUUID()}`;
  const log = join(folder, "gauge.jsonl");
  const vendor = await startScriptedVendor(language, turns);
  const config = await toolboxFile({
    toolbox: { tools: [{ name: "slow", timeout: "PT10H" }] },
    servers: { gauge: fixtureServer("gauge", { GAUGE_LOG: log, MARKER: marker }) },
    models: { m: modelEntry(language, vendor.url) },
  });
  const data = join(folder, "data");
  const command = (...args: string[]) => ["run", ...args, "--config", config];
  const start = async (...args: string[]) => {
    const program = await startProgram(command(...args), { env: { TACKLEBOX_DATA: data } });
    program.endStdin();
    return program;
  };
  return { vendor, marker, log, data, start, config };
}

describe("a run that is stopped", () => {
  it.each(LANGUAGES)(
    "SIGINT while a model that speaks %s is streaming: exit 130, nothing left on either side",
    async (spoken) => {
      const { vendor, marker, start } = await setUp([{ kind: "hang", text: "Once upon a time" }], spoken);
      const program = await start("tell me");
      // Each piece is printed as it arrives: the turn never ends.
      await until(() => program.stdout() === "Once upon a time", { describe: "the text so far" });
      expect(vendor.working()).toBe(1);
      program.kill("SIGINT");
      const { code, stdout, stderr } = await program.exit;
      expect([code, stdout, stderr]).toEqual([130, "Once upon a time\n", "Cancelled.\n"]);
      expect(processesWithMarker(marker)).toEqual([]);
      await until(() => vendor.working() === 0, { describe: "the model's server to be left alone" });
    },
  );

  it("SIGINT in a call: cancelled here and at the server, exit 130, no process left", async () => {
    const { marker, log, data, start } = await setUp([slowCall(HOURS)]);
    const program = await start("go", "--json");
    await untilStarted(log, 1);
    program.kill("SIGINT");
    const { code, stdout } = await program.exit;
    expect(code).toBe(130);
    expect(linesOf(stdout).slice(-2)).toMatchObject([
      { type: "call-ended", ending: "cancelled" },
      { type: "run-ended", reason: "cancelled" },
    ]);
    expect(processesWithMarker(marker)).toEqual([]);
    expect((await gaugeEvents(log)).map(({ event }) => event)).toContain("cancel");
    expect(await callRecords(data)).toMatchObject([{ status: "error", ending: "cancelled" }]);
  });

  it("SIGTERM lets the run finish but makes no new call", async () => {
    // Half of the time that calls get to end, so that the signal may be late by as much.
    const { marker, log, start } = await setUp([slowCall(5_000), slowCall(5_001), answer("Enough.")]);
    const program = await start("go", "--json");
    await untilStarted(log, 1);
    program.kill("SIGTERM");
    const { code, stdout } = await program.exit;
    const lines = linesOf(stdout);
    expect([code, modelText(lines)]).toEqual([0, "Enough."]);
    expect(ofType(lines, "call-ended")).toMatchObject([
      { status: "success", text: "slow waited 5000 ms" },
      { status: "error", ending: "unreachable", error: expect.stringContaining("stopping") },
    ]);
    expect(processesWithMarker(marker)).toEqual([]);
  });

  it.each([
    ["the model fails", { kind: "fail", code: "unreachable" }, 3],
    ["it is done", answer("ok"), 0],
  ] as const)("S2.3 S2.7 T2.6 every connection is closed when %s", async (_, turn, expected) => {
    const { marker, start } = await setUp([slowCall(1), turn]);
    expect((await (await start("go")).exit).code).toBe(expected);
    expect(processesWithMarker(marker)).toEqual([]);
  });
});

describe("sessions", () => {
  it("continue with --session: the model is sent the earlier messages", async () => {
    const { vendor, config, data } = await setUp([answer("Hello, Ada."), answer("Ada.")]);
    const env = { TACKLEBOX_DATA: data };
    const first = await runProgram(["run", "I am Ada", "--json", "--config", config], { env });
    const session = String(linesOf(first.stdout)[0]?.session_id);
    const second = await runProgram(["run", "Who am I?", "--session", session, "--config", config], { env });
    expect(second).toMatchObject({ code: 0, stdout: "Ada.\n" });
    expect(JSON.parse(vendor.requests[1]?.body ?? "{}").messages).toMatchObject([
      { role: "user", content: "I am Ada" },
      { role: "assistant", content: "Hello, Ada." },
      { role: "user", content: "Who am I?" },
    ]);
  });

  it.each(LANGUAGES)("killed in a call, they tell a model that speaks %s what became of it", async (language) => {
    const { vendor, log, marker, start } = await setUp([slowCall(HOURS), answer("It was lost.")], language);
    const program = await start("go", "--json");
    const session = String(parsed(await program.waitForStdout(() => true)).session_id);
    await untilStarted(log, 1);
    program.kill("SIGKILL");
    await program.exit;
    await until(() => processesWithMarker(marker).length === 0, { describe: "its server to end by itself" });

    const next = await (await start("and?", "--session", session, "--json")).exit;
    expect([next.code, modelText(linesOf(next.stdout))]).toEqual([0, "It was lost."]);
    const sent = vendor.requests[1]?.body ?? "";
    expect(sent).toContain("MCP error: The process that made this call ended before the answer came; it may have run.");
    expect(sent.indexOf("MCP error")).toBeLessThan(sent.indexOf("and?"));
  });
});

function using(inputTokens: number, outputTokens: number, turn: TurnScript): TurnScript {
  return turn.kind === "answer" ? { ...turn, usage: { inputTokens, outputTokens } } : turn;
}

describe("a run on a terminal", () => {
  it("S1.43 shows each call and how it ended beside the text, the tokens it took, and the session to continue", async () => {
    const vendor = await startScriptedVendor("anthropic", [
      using(1_000, 60, calls(["echo", { message: "hi" }], ["nope", {}])),
      using(204, 25, answer("Done.")),
    ]);
    const config = await toolboxFile({
      servers: { everything: nodeServer(everythingPath) },
      models: { m: modelEntry("anthropic", vendor.url) },
    });
    const { code, screen } = await runOnTerminal(["run", "go", "--config", config], { NO_COLOR: "1", TERM: "dumb" });
    expect(code).toBe(0);
    expect(screen).toMatch(/^→ echo \{"message":"hi"\}$/m);
    expect(screen).toMatch(/^← echo ok, \d+ ms$/m);
    expect(screen).toMatch(/^← nope unknown-tool, \d+ ms: Unknown tool 'nope'\.$/m);
    expect(screen).toMatch(/^Done\.\n1,204 tokens in, 85 out\nTo continue: tacklebox run --session \S+ "…"$/m);
  });
});
