import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect } from "vitest";
import { callRecords } from "../support/call-records.ts";
import { untilStarted } from "../support/gauge-log.ts";
import { killQuietly, processesWithMarker, until } from "../support/processes.ts";
import { runProgram } from "../support/program.ts";
import { releaseAfterwards } from "../support/release.ts";
import { fixtureServer, parsed } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { fault } from "./fault.ts";
import { faultServer, startFaultHttp, startFaultProgram } from "./fault-program.ts";
import { startOnSmallDisk } from "./small-disk.ts";
import { startLimited } from "./start-limited.ts";

describe.concurrent("when it is us", () => {
  fault(
    {
      id: "parent-sigkill",
      fault: "we are killed (SIGKILL) in a call, with a server and its child that ignore every polite request",
      promised: "no orphan; the next start marks the call interrupted",
    },
    async (seen) => {
      const { running, marker, data, config, steady } = await startFaultProgram({
        servers: { clinging: faultServer("clinging") },
      });
      // If the promise is broken, the processes left behind must not outlive this test.
      releaseAfterwards(async () => processesWithMarker(marker).forEach(killQuietly));
      await steady();
      running.write('{"id":"held","server":"clinging","tool":"hold"}\n');
      const held = async () => (await callRecords(data, "--status", "running")).length === 1;
      await until(held, { describe: "the call to run" });
      expect(processesWithMarker(marker).length).toBeGreaterThanOrEqual(3);
      running.kill("SIGKILL");
      await running.exit;
      await until(() => processesWithMarker(marker).length === 0, { describe: "every server process to be gone" });
      await runProgram(["call", "steady", "ping", "--config", config], { env: { TACKLEBOX_DATA: data } });
      const [record] = await callRecords(data, "--server", "clinging");
      expect(record).toMatchObject({ tool: "hold", status: "error", ending: "interrupted" });
      seen("no process left, interrupted in the log");
    },
  );

  fault(
    {
      id: "parent-sigterm",
      fault: "SIGTERM during 20 calls",
      promised: "all 20 end and are answered, exit 0, nothing left, every call in the log",
    },
    async (seen) => {
      const marker = `marker-${crypto.randomUUID()}`;
      const log = join(await temporaryFolder(), "gauge.jsonl");
      const gauge = {
        ...fixtureServer("gauge", { GAUGE_LOG: log, MARKER: marker }),
        default_tool_config: { max_instances: 20 },
      };
      const { running, data } = await startFaultProgram({ servers: { gauge } });
      const ids = Array.from({ length: 20 }, (_, id) => id);
      for (const id of ids) {
        running.write(`${JSON.stringify({ id, server: "gauge", tool: "slow", arguments: { ms: 800 } })}\n`);
      }
      await untilStarted(log, 20);
      running.kill("SIGTERM");
      const { code, stdout } = await running.exit;
      expect(code).toBe(0);
      const answers = stdout.split("\n").slice(0, -1).map(parsed);
      expect(answers.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(ids);
      expect(answers.filter(({ status }) => status !== "success")).toEqual([]);
      expect(processesWithMarker(marker)).toEqual([]);
      const records = await callRecords(data, "--limit", "100");
      expect(records.filter(({ status }) => status === "success")).toHaveLength(20);
      seen("20 answered, exit 0");
    },
  );

  fault(
    {
      id: "disk-full",
      fault: "the disk is full",
      promised: "calls are refused, not made; they work again when there is room",
    },
    async (seen) => {
      const web = await startFaultHttp();
      const disk = await startOnSmallDisk({ servers: { web: { url: `${web.origin}/disk` } } });
      expect(await disk.program.call("web", "ping")).toMatchObject({ status: "success" });
      disk.fill();
      const padding = "p".repeat(20_000);
      let made = 1;
      const refused = await until(
        async () => {
          const outcome = await disk.program.call("web", "ping", { padding });
          if (outcome.status === "success") made += 1;
          return outcome.status === "error" && outcome;
        },
        { describe: "a call to be refused" },
      );
      expect(refused.ending).toBe("log-unavailable");
      expect(await disk.program.call("web", "ping", { padding })).toMatchObject({ ending: "log-unavailable" });
      expect((await web.seen("/disk")).calls.ping).toBe(made);
      disk.makeRoom();
      expect(await disk.program.call("web", "ping", { padding })).toMatchObject({ status: "success" });
      seen(`log-unavailable after ${made} calls (${disk.kind}), works again`);
    },
  );

  fault(
    {
      id: "log-locked",
      fault: "another process keeps the call log locked, for a moment and for good",
      promised:
        "calls wait for it while everything else goes on; after 5 s they are refused, not made; work again afterwards",
    },
    async (seen) => {
      const web = await startFaultHttp();
      const program = await startFaultProgram({ servers: { web: { url: `${web.origin}/locked` } } });
      await program.call("web", "ping");
      const other = new DatabaseSync(join(program.data, "tacklebox.db"), { timeout: 60_000 });
      releaseAfterwards(async () => other.close());

      other.exec("BEGIN IMMEDIATE");
      const waiting = program.call("web", "ping");
      program.running.write("not a call\n");
      await program.running.waitForStdout((line) => line.includes("is not valid JSON"));
      other.exec("ROLLBACK");
      expect(await waiting).toMatchObject({ status: "success" });

      other.exec("BEGIN IMMEDIATE");
      expect(await program.call("web", "ping")).toMatchObject({
        ending: "log-unavailable",
        text: expect.stringContaining("another process has it locked"),
      });
      expect((await web.seen("/locked")).calls.ping).toBe(2);
      other.exec("ROLLBACK");
      expect(await program.call("web", "ping")).toMatchObject({ status: "success" });
      seen(
        "a bad line is answered while a call waits, which then succeeds; log-unavailable when it lasts, works again",
      );
    },
  );

  fault(
    {
      id: "fd-exhaustion",
      fault: "no file descriptor is left (ulimit -n)",
      promised: "what needs one fails and says so, calls on open connections go on, and so does everything afterwards",
    },
    async (seen) => {
      const web = await startFaultHttp();
      const program = await startLimited("ulimit -n 48", {
        servers: {
          // Long enough for all of them to be running at once on a busy machine.
          held: { url: `${web.origin}/held`, default_tool_config: { max_instances: 60, timeout: 8 } },
          other: { url: `${web.origin}/other` },
        },
      });
      await program.steady();
      const calls = Array.from({ length: 60 }, () => program.call("held", "silent"));
      const [outcomes] = await Promise.all([Promise.all(calls), program.steady()]);
      const endings = new Set(outcomes.map(({ ending }) => ending));
      expect(endings).toEqual(new Set(["timed-out", "unreachable"]));
      const exhausted = outcomes.find(({ ending }) => ending === "unreachable");
      expect(exhausted?.text).toContain("EMFILE");
      await until(() => readdirSync(`/proc/${program.running.pid}/fd`).length < 40, { describe: "free descriptors" });
      await program.untilWorks("other");
      await program.end();
      seen("unreachable (EMFILE) or timed-out; others go on");
    },
  );

  fault(
    {
      id: "listener-leak",
      fault: "1,600 calls over one HTTP connection",
      promised: "all succeed, no warning of the runtime, no listener piles up",
    },
    async (seen) => {
      const web = await startFaultHttp();
      const { running, end } = await startFaultProgram({
        servers: { web: { url: `${web.origin}/many`, default_tool_config: { max_instances: 50 } } },
        toolbox: { max_wait: "PT2M" },
      });
      const lines = Array.from({ length: 1_600 }, (_, id) => JSON.stringify({ id, server: "web", tool: "ping" }));
      running.write(`${lines.join("\n")}\n`);
      const answered = () => running.stdout().split("\n").length - 1;
      await until(() => answered() === 1_600, { describe: "1,600 answers" });
      expect(running.stdout().match(/"status":"success"/g)).toHaveLength(1_600);
      // Also asserts that stderr has no warnings.
      await end();
      seen("1,600 answered, no warning");
    },
  );
});
