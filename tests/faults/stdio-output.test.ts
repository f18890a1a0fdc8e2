import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect } from "vitest";
import { callRecords } from "../support/call-records.ts";
import { runProgram } from "../support/program.ts";
import { parsed, toolboxFile } from "../support/toolbox-file.ts";
import { fault } from "./fault.ts";
import { type FaultProgram, faultServer, startFaultProgram } from "./fault-program.ts";
import { PYTHON_SERVER } from "./python-server.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const shortTimeout = { default_tool_config: { timeout: 0.7 } };
/** Long enough for calls that must be answered on a busy machine. One call at a time. */
const longerTimeout = { default_tool_config: { timeout: 2.5, max_instances: 1 } };

let program: FaultProgram;

/** Writes a config with one server, for the plain `call` command, which follows progress. */
const alone = (settings: object = {}) => toolboxFile({ servers: { s: { ...faultServer("tools"), ...settings } } });

beforeAll(async () => {
  program = await startFaultProgram({
    servers: {
      noisy: faultServer("tools"),
      ids: faultServer("tools"),
      echo: faultServer("tools"),
      late: { ...faultServer("tools"), ...longerTimeout },
      progressing: { ...faultServer("tools"), ...shortTimeout },
      flooding: faultServer("tools"),
      banner: faultServer("banner"),
      stderr: faultServer("tools"),
      ...(hasPython ? { python: { command: "python3", args: ["-c", PYTHON_SERVER] } } : {}),
    },
  });
  await program.steady();
});

describe.concurrent("what a server writes", () => {
  fault(
    { id: "garbage-lines", fault: "lines that are not messages on stdout", promised: "ignored; the answer arrives" },
    async (seen) => {
      const [outcome] = await Promise.all([program.call("noisy", "garbage"), program.steady()]);
      expect(outcome).toMatchObject({ status: "success", text: "after garbage" });
      seen("answered");
    },
  );

  fault(
    {
      id: "garbage-no-newline",
      fault: "text without a newline in front of the answer",
      promised: "the answer arrives",
    },
    async (seen) => {
      expect(await program.call("noisy", "no_newline")).toMatchObject({
        status: "success",
        text: "after text without a newline",
      });
      expect(await program.call("noisy", "ping")).toMatchObject({ status: "success" });
      seen("answered");
    },
  );

  fault(
    { id: "banner", fault: "a banner on stdout before the first message", promised: "connected, counted as odd" },
    async (seen) => {
      expect(await program.call("banner", "ping")).toMatchObject({ status: "success", text: "pong" });
      const config = await toolboxFile({ servers: { banner: faultServer("banner") } });
      const { stdout } = await runProgram(["servers", "--json", "--config", config]);
      expect(parsed(stdout).servers).toMatchObject([{ status: "connected", oddities: { unreadable: 4 } }]);
      seen("connected, 4 unreadable lines counted");
    },
  );

  fault(
    {
      id: "duplicate-id",
      fault: "three answers to one call",
      promised: "the first one counts, later calls get their own",
    },
    async (seen) => {
      expect(await program.call("ids", "twice")).toMatchObject({ status: "success", text: "first answer" });
      expect(await program.call("ids", "ping")).toMatchObject({ status: "success", text: "pong" });
      seen("first answer");
    },
  );

  fault(
    { id: "unknown-id", fault: "answers to calls nobody made", promised: "ignored; the answer arrives" },
    async (seen) => {
      expect(await program.call("ids", "foreign")).toMatchObject({ status: "success", text: "the answer" });
      seen("the answer");
    },
  );

  fault(
    {
      id: "string-id",
      fault: "the id comes back as another JSON type",
      promised: "it is another id; the answer arrives",
    },
    async (seen) => {
      expect(await program.call("ids", "mistyped")).toMatchObject({ status: "success", text: "the answer" });
      seen("the answer");
    },
  );

  fault(
    {
      id: "late-id",
      fault: "the answer comes after the call timed out",
      promised: "timed-out; the late answer frees the slot, is noted in the record and reaches nobody else",
    },
    async (seen) => {
      const late = await program.call("late", "late", { ms: 4_500 });
      expect(late.ending).toBe("timed-out");
      expect(late.text).toContain("it may have run");
      // One call at a time: this one waits for the slot that only the late answer frees.
      expect(await program.call("late", "late", { ms: 1 })).toMatchObject({ status: "success", text: "too late" });
      expect(await program.call("late", "ping")).toMatchObject({ status: "success", text: "pong" });
      const [record] = (await callRecords(program.data, "--limit", "10000")).filter(({ id }) => id === late.call_id);
      expect(record).toMatchObject({ ending: "timed-out", late_answer_at: expect.any(String) });
      seen("timed-out with late_answer_at, then two calls with their own answers");
    },
  );

  fault(
    {
      id: "endless-progress",
      fault: "progress for ever, never an answer",
      promised: "the timeout holds whatever is reported, whether anybody follows it or not",
    },
    async (seen) => {
      const [outcome] = await Promise.all([program.call("progressing", "progress_forever"), program.steady()]);
      expect(outcome.ending).toBe("timed-out");
      const followed = await runProgram([
        "call",
        "s",
        "progress_forever",
        "--json",
        "--config",
        await alone(shortTimeout),
      ]);
      expect(parsed(followed.stdout)).toMatchObject({ ending: "timed-out" });
      seen("timed-out at 0.7 s");
    },
  );

  fault(
    {
      id: "progress-flood",
      fault: "200,000 progress reports in one call",
      promised: "the call succeeds, others are answered meanwhile; so it does where they are followed",
    },
    async (seen) => {
      let over = false;
      const flooded = program.call("flooding", "progress_flood", { count: 200_000 }).finally(() => {
        over = true;
      });
      let meanwhile = 0;
      for (; !over; meanwhile += 1) await program.steady();
      expect(await flooded).toMatchObject({ status: "success", text: "reported 200000 times" });
      expect(meanwhile).toBeGreaterThan(1);
      const flood = ["call", "s", "progress_flood", "--args", JSON.stringify({ count: 200_000 })];
      const followed = await runProgram([...flood, "--config", await alone()]);
      expect(followed).toMatchObject({ code: 0, stdout: "reported 200000 times\n" });
      seen(`answered; ${meanwhile} other calls meanwhile`);
    },
  );

  fault(
    { id: "stderr-flood", fault: "20 MB on stderr in one call", promised: "read and thrown away; the call succeeds" },
    async (seen) => {
      const flooded = program.call("stderr", "stderr_flood", { bytes: 20_000_000 });
      await program.steady();
      expect(await flooded).toMatchObject({ status: "success", text: "flooded" });
      seen("answered");
    },
  );

  fault(
    {
      id: "stderr-blocking",
      fault: "a server that waits until its stderr is read",
      promised: "it is always read: no deadlock",
    },
    async (seen) => {
      expect(await program.call("stderr", "stderr_blocking", { bytes: 5_000_000 })).toMatchObject({
        status: "success",
        text: "flooded",
      });
      if (hasPython) {
        expect(await program.call("python", "flood")).toMatchObject({ status: "success", text: "flooded" });
      }
      seen(hasPython ? "no deadlock, in Node and in Python" : "no deadlock");
    },
  );

  fault(
    {
      id: "proto",
      fault: "T26 __proto__, constructor and prototype as argument names, at any depth",
      promised: "refused, or passed on as plain data; nothing of ours is changed by it",
    },
    async (seen) => {
      const poison = '{"__proto__":{"polluted":true},"a":[{"constructor":{"prototype":{"polluted":true}}}]}';
      program.running.write(`{"id":"proto","server":"echo","tool":"echo","arguments":${poison}}\n`);
      const line = await program.running.waitForStdout((text) => text.startsWith('{"id":"proto"'));
      const outcome: unknown = JSON.parse(line);
      const refused = { status: "error", ending: "invalid-arguments" };
      const passed = { status: "success", text: poison };
      expect([expect.objectContaining(refused), expect.objectContaining(passed)]).toContainEqual(outcome);
      // A polluted prototype would show up in whatever is read or printed next.
      expect(await program.call("echo", "echo", { plain: 1 })).toMatchObject({
        status: "success",
        text: '{"plain":1}',
      });
      seen(line.includes('"status":"error"') ? "refused" : "passed on as plain data");
    },
  );
});

describe("afterwards", () => {
  fault(
    {
      id: "stdio-output-after",
      fault: "the program ends after all of these",
      promised: "exit 0, no process left, every call in the log as it was answered",
    },
    async (seen) => {
      await program.end();
      seen("nothing left, log complete");
    },
  );
});
