import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { processesWithMarker, until } from "../support/processes.ts";
import { runProgram } from "../support/program.ts";
import { parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { fault } from "./fault.ts";
import { type FaultProgram, faultServer, startFaultProgram } from "./fault-program.ts";

const shortTimeout = { default_tool_config: { timeout: 2 } };

let program: FaultProgram;
let markers: Readonly<Record<string, string>>;

beforeAll(async () => {
  markers = Object.fromEntries(
    ["crashing", "killed", "wrapped", "frozen", "mute"].map((name) => [name, `${name}-${crypto.randomUUID()}`]),
  );
  const marked = (name: string, mode: string) => faultServer(mode, { OWN: markers[name] ?? "" });
  program = await startFaultProgram({
    servers: {
      crashing: marked("crashing", "tools"),
      killed: marked("killed", "tools"),
      wrapped: marked("wrapped", "grandchild"),
      frozen: { ...marked("frozen", "tools"), ...shortTimeout },
      mute: { ...marked("mute", "mute"), timeout: 1, reconnect: "never" },
      refusing: { ...faultServer("exit"), reconnect: "never" },
    },
  });
  await program.steady();
});

/** Returns the running processes of one server. */
function processesOf(name: string): readonly number[] {
  return processesWithMarker(markers[name] ?? "no such server");
}

describe.concurrent("a server process that ends or stops", () => {
  fault(
    {
      id: "crash",
      fault: "the server exits in the middle of a call, over stdio",
      promised: "interrupted with exit code and last output; others go on; a fresh process answers next",
    },
    async (seen) => {
      const [outcome] = await Promise.all([program.call("crashing", "crash"), program.steady()]);
      expect(outcome.ending).toBe("interrupted");
      expect(outcome.text).toContain("exited with code 7");
      expect(outcome.text).toContain("disk on fire\nleaving with 7");
      await program.untilWorks("crashing");
      expect(processesOf("crashing")).toHaveLength(1);
      seen("interrupted, code 7 and stderr in the text, restarted");
    },
  );

  fault(
    {
      id: "killed",
      fault: "the server is killed in the middle of two calls",
      promised: "both interrupted, naming the signal; a fresh process answers next",
    },
    async (seen) => {
      const held = program.call("killed", "hold");
      const outcomes = [await program.call("killed", "killed"), await held];
      expect(outcomes.map(({ ending }) => ending)).toEqual(["interrupted", "interrupted"]);
      for (const { text } of outcomes) expect(text).toContain("SIGKILL");
      await program.untilWorks("killed");
      expect(processesOf("killed")).toHaveLength(1);
      seen("both interrupted by SIGKILL, restarted");
    },
  );

  fault(
    {
      id: "grandchild",
      fault: "the server crashes while a process it started holds its stdout",
      promised: "interrupted all the same; the grandchild is gone too",
    },
    async (seen) => {
      const before = processesOf("wrapped");
      expect(before).toHaveLength(2);
      const [outcome] = await Promise.all([program.call("wrapped", "crash"), program.steady()]);
      expect(outcome.ending).toBe("interrupted");
      expect(outcome.text).toContain("exited with code 7");
      await until(() => before.every((pid) => !processesOf("wrapped").includes(pid)), {
        describe: "both of the old processes to be gone",
      });
      await program.untilWorks("wrapped");
      seen("interrupted; both processes gone; restarted");
    },
  );

  fault(
    {
      id: "sigstop",
      fault: "the server is stopped (SIGSTOP) in a call, with more than a pipe holds waiting to be sent",
      promised: "the call times out, the process is replaced, the next call works",
    },
    async (seen) => {
      const [stopped] = processesOf("frozen");
      const large = { padding: "p".repeat(1024 * 1024) };
      const frozen = program.call("frozen", "freeze");
      const [first, second] = await Promise.all([frozen, program.call("frozen", "echo", large), program.steady()]);
      expect([first.ending, second.ending]).toEqual(["timed-out", "timed-out"]);
      expect(first.text).toContain("did not answer within 2 s");
      await program.untilWorks("frozen");
      await until(() => stopped !== undefined && !processesOf("frozen").includes(stopped), {
        describe: "the stopped process to be gone",
      });
      seen("timed-out, the stopped process ended, a fresh one answers");
    },
  );

  fault(
    {
      id: "mute-start",
      fault: "the server never says a word",
      promised: "unreachable within its own start budget; its process is ended; others are not held up",
    },
    async (seen) => {
      const outcome = await program.call("mute", "ping");
      expect(outcome).toMatchObject({ status: "error", ending: "unreachable" });
      expect(outcome.error).toMatch(/^Server 'mute' is down: no answer within /);
      const config = await toolboxFile({
        servers: { mute: { ...faultServer("mute"), timeout: 1, reconnect: "never" }, steady: faultServer("tools") },
      });
      const { stdout } = await runProgram(["servers", "--json", "--config", config]);
      expect(parsed(stdout).servers).toMatchObject([
        { name: "mute", status: "error", cause: expect.stringMatching(/^no answer within 1 s\n/) },
        { name: "steady", status: "connected" },
      ]);
      await until(() => processesOf("mute").length === 0, { describe: "its process to be ended" });
      seen("no answer within 1 s; nothing left of it");
    },
  );

  fault(
    {
      id: "exit-at-start",
      fault: "the server exits before it is ready",
      promised: "its cause has the exit code and its last output; others connect",
    },
    async (seen) => {
      const config = await toolboxFile({
        servers: { refusing: { ...faultServer("exit"), reconnect: "never" }, steady: faultServer("tools") },
      });
      const { stdout } = await runProgram(["servers", "--json", "--config", config]);
      expect(parsed(stdout).servers).toMatchObject([
        { name: "refusing", status: "error", cause: expect.stringContaining("no licence found") },
        { name: "steady", status: "connected" },
      ]);
      expect(stdout).toContain("exited with code 3");
      seen("exit code 3 and stderr in the cause");
    },
  );

  fault(
    {
      id: "probe-once",
      fault: "a server of the old protocol is asked which protocol it speaks",
      promised: "its command is started once",
    },
    async (seen) => {
      const log = join(await temporaryFolder(), "pids");
      const config = await toolboxFile({ servers: { legacy: faultServer("tools", { PID_LOG: log }) } });
      const { code } = await runProgram(["call", "legacy", "ping", "--config", config]);
      expect(code).toBe(0);
      expect(readFileSync(log, "utf8").trim().split("\n")).toHaveLength(1);
      seen("one start");
    },
  );
});

describe("afterwards", () => {
  fault(
    {
      id: "stdio-ends-after",
      fault: "the program ends after all of these",
      promised: "exit 0, no process left, every call in the log as it was answered",
    },
    async (seen) => {
      await program.end();
      seen("nothing left, log complete");
    },
  );
});
