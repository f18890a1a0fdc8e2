import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { gaugeEvents, untilStarted } from "../support/gauge-log.ts";
import { killQuietly, processesWithMarker, until } from "../support/processes.ts";
import { runProgram } from "../support/program.ts";
import { releaseAfterwards } from "../support/release.ts";
import { fixtureServer, logLines } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { fault } from "./fault.ts";
import { type FaultHttp, type FaultProgram, faultServer, startFaultHttp, startFaultProgram } from "./fault-program.ts";

const halfMarker = `half-${crypto.randomUUID()}`;
let program: FaultProgram;
let web: FaultHttp;

beforeAll(async () => {
  web = await startFaultHttp();
  program = await startFaultProgram({
    servers: {
      flooding: faultServer("tools"),
      streaming: { url: `${web.origin}/streaming` },
      logging: faultServer("tools"),
      deafened: faultServer("lasting", { OWN: halfMarker }),
      muted: faultServer("lasting"),
    },
  });
  await program.steady();
  await until(async () => (await web.seen("/streaming")).gets === 1, { describe: "its stream to be open" });
});

const told = (server: string, what: RegExp) =>
  logLines(program.running.stderr()).some((line) => line.startsWith(`warn MCP server '${server}'`) && what.test(line));

/** Floods, calls another server until the connection is replaced, and returns how many calls that were. */
async function flood(server: string, tool: string): Promise<number> {
  expect(await program.call(server, tool)).toMatchObject({ status: "success" });
  let meanwhile = 0;
  await until(
    async () => {
      await program.steady();
      meanwhile += 1;
      return told(server, /messages a second that nothing had asked for, and went on .* its connection is replaced/);
    },
    { describe: `${server} to be replaced` },
  );
  expect(told(server, /messages a second that nothing had asked for; it is paused/)).toBe(true);
  await program.untilWorks(server);
  return meanwhile;
}

describe.concurrent("floods and half-closed pipes", () => {
  fault(
    {
      id: "flood-idle",
      fault: "a server floods us without a call, over stdio",
      promised: "paused, then replaced, with its rate in the log; others are answered all the while",
    },
    async (seen) => {
      const meanwhile = await flood("flooding", "flood_idle");
      seen(`paused, replaced; ${meanwhile} other calls meanwhile`);
    },
  );

  fault(
    {
      id: "flood-idle-http",
      fault: "a server floods us without a call, over an HTTP stream",
      promised: "the same",
    },
    async (seen) => {
      const meanwhile = await flood("streaming", "flood_stream");
      seen(`paused, replaced; ${meanwhile} other calls meanwhile`);
    },
  );

  fault(
    {
      id: "log-burst",
      fault: "2,000 log messages at once in front of an answer",
      promised: "no flood: the answer arrives",
    },
    async (seen) => {
      const outcome = await program.call("logging", "log_burst", { count: 2_000 });
      expect(outcome).toMatchObject({ status: "success", text: "logged" });
      expect(told("logging", /messages a second/)).toBe(false);
      seen("answered, not paused");
    },
  );

  fault(
    {
      id: "half-closed-stdin",
      fault: "a server closes its stdin only, and goes on running",
      promised: "the next call is unreachable: it certainly did not run; a fresh process answers next",
    },
    async (seen) => {
      expect(await program.call("deafened", "close_input")).toMatchObject({ status: "success" });
      const [pid] = processesWithMarker(halfMarker);
      await until(() => !existsSync(`/proc/${pid}/fd/0`), { describe: "its stdin to be closed" });
      const outcome = await program.call("deafened", "ping");
      expect(outcome.ending).toBe("unreachable");
      expect(outcome.text).toContain("closed its input");
      expect(outcome.text).not.toContain("may have run");
      await program.untilWorks("deafened");
      seen("unreachable, restarted");
    },
  );

  fault(
    {
      id: "half-closed-stdout",
      fault: "a server closes its stdout only, in two calls, and goes on running",
      promised: "both interrupted without waiting for their timeout; a fresh process answers next",
    },
    async (seen) => {
      const calls = [program.call("muted", "hold"), program.call("muted", "close_output")];
      for (const { ending, text } of await Promise.all(calls)) {
        expect(ending).toBe("interrupted");
        expect(text).toContain("closed its output");
      }
      await program.untilWorks("muted");
      seen("both interrupted, restarted");
    },
  );
});

describe.concurrent("leftovers and stops of our own", () => {
  fault(
    {
      id: "setsid-grandchild",
      fault: "a server's child leaves its process group (setsid) and ignores SIGTERM; we are killed (SIGKILL)",
      promised: "it is gone with the next start, and after a normal exit at once",
    },
    async (seen) => {
      const { running, marker, data, config, call } = await startFaultProgram({
        servers: { escaping: faultServer("escaping") },
      });
      releaseAfterwards(async () => processesWithMarker(marker).forEach(killQuietly));
      expect(await call("escaping", "ping")).toMatchObject({ status: "success" });
      running.kill("SIGKILL");
      await running.exit;
      // The next start has such a child of its own, which it ends when it exits.
      const { code } = await runProgram(["call", "escaping", "ping", "--config", config], {
        env: { TACKLEBOX_DATA: data },
      });
      expect(code).toBe(0);
      expect(processesWithMarker(marker)).toEqual([]);
      seen("both gone");
    },
  );

  fault(
    {
      id: "parent-sigstop",
      fault: "we are stopped (SIGSTOP) in a call until its deadline is over, and its answer has come in time",
      promised: "the answer counts",
    },
    async (seen) => {
      const log = join(await temporaryFolder(), "gauge.jsonl");
      const gauge = { ...fixtureServer("gauge", { GAUGE_LOG: log }), default_tool_config: { timeout: 3 } };
      const stopped = await startFaultProgram({ servers: { gauge } });
      const call = stopped.call("gauge", "slow", { ms: 500 });
      await untilStarted(log, 1);
      const startedAt = performance.now();
      stopped.running.kill("SIGSTOP");
      const ended = async () => (await gaugeEvents(log)).some(({ event }) => event === "end");
      await until(ended, { describe: "the answer" });
      await until(() => performance.now() - startedAt > 4_000, { describe: "the deadline to pass" });
      stopped.running.kill("SIGCONT");
      expect(await call).toMatchObject({ status: "success" });
      await stopped.end();
      seen("answered");
    },
  );
});

describe("afterwards", () => {
  fault(
    {
      id: "floods-after",
      fault: "the program ends after all of these",
      promised: "exit 0, no process left, every call in the log as it was answered",
    },
    async (seen) => {
      await program.end();
      seen("nothing left, log complete");
    },
  );
});
