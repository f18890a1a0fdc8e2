import { beforeAll, describe, expect } from "vitest";
import { until } from "../support/processes.ts";
import { runProgram } from "../support/program.ts";
import { parsed, toolboxFile } from "../support/toolbox-file.ts";
import { fault } from "./fault.ts";
import { type FaultHttp, type FaultProgram, startFaultHttp, startFaultProgram } from "./fault-program.ts";

const shortTimeout = { default_tool_config: { timeout: 0.6 } };
/** Long enough for forty calls to reach the server, on a busy machine. */
const longerTimeout = { default_tool_config: { timeout: 6, max_instances: 50 } };
const PATHS = ["ends", "resets", "reset", "bad", "ids", "progress", "drip", "open", "lost-404", "lost-400", "resume"];

let web: FaultHttp;
let program: FaultProgram;

beforeAll(async () => {
  web = await startFaultHttp();
  const plain = Object.fromEntries(PATHS.map((path) => [path, { url: `${web.origin}/${path}` }]));
  const impatient = ["progress", "drip"].map((path) => [path, { url: `${web.origin}/${path}`, ...shortTimeout }]);
  program = await startFaultProgram({
    servers: {
      ...plain,
      ...Object.fromEntries(impatient),
      open: { url: `${web.origin}/open`, ...longerTimeout },
      resume: { url: `${web.origin}/resume`, default_tool_config: { timeout: 3 } },
      "busy-429": { url: `${web.origin}/busy-429` },
      "busy-503": { url: `${web.origin}/busy-503` },
      "retry-0": { url: `${web.origin}/retry-0` },
      "retry-big": { url: `${web.origin}/retry-99999999999` },
      sse: { url: `${web.origin}/sse`, transport: "sse" },
    },
  });
  await program.steady();
});

describe.concurrent("replies over HTTP that go wrong", () => {
  fault(
    {
      id: "sse-end",
      fault: "the event stream of a call ends before the answer",
      promised: "interrupted at once, not repeated, the next call works",
    },
    async (seen) => {
      const [outcome] = await Promise.all([program.call("ends", "stream_ends"), program.steady()]);
      expect(outcome.ending).toBe("interrupted");
      expect(outcome.text).toContain("the call may have run");
      expect((await web.seen("/ends")).calls.stream_ends).toBe(1);
      expect(await program.call("ends", "ping")).toMatchObject({ status: "success" });
      seen("interrupted, sent once");
    },
  );

  fault(
    {
      id: "sse-rst",
      fault: "the event stream of a call is reset before the answer",
      promised: "interrupted at once, not repeated, the next call works",
    },
    async (seen) => {
      const [outcome] = await Promise.all([program.call("resets", "stream_resets"), program.steady()]);
      expect(outcome.ending).toBe("interrupted");
      expect((await web.seen("/resets")).calls.stream_resets).toBe(1);
      await program.untilWorks("resets");
      seen("interrupted, sent once");
    },
  );

  fault(
    {
      id: "rst-before-reply",
      fault: "the connection is reset before any reply",
      promised: "interrupted, not repeated, the next call works",
    },
    async (seen) => {
      const [outcome] = await Promise.all([program.call("reset", "resets"), program.steady()]);
      expect(outcome.ending).toBe("interrupted");
      expect((await web.seen("/reset")).calls.resets).toBe(1);
      await program.untilWorks("reset");
      seen("interrupted, sent once");
    },
  );

  fault(
    {
      id: "malformed-json",
      fault: "a reply that is cut-off JSON, HTML or an event that is not a message",
      promised: "protocol-error; bad events are passed over",
    },
    async (seen) => {
      expect((await program.call("bad", "bad_json")).ending).toBe("protocol-error");
      const html = await program.call("bad", "wrong_type");
      expect(html.ending).toBe("protocol-error");
      expect(html.text).toContain("text/html");
      expect(await program.call("bad", "bad_event")).toMatchObject({ status: "success", text: "after bad events" });
      expect(await program.call("bad", "ping")).toMatchObject({ status: "success" });
      seen("protocol-error twice, the answer after bad events");
    },
  );

  fault(
    { id: "wrong-id-http", fault: "a reply to somebody else's id over HTTP", promised: "protocol-error" },
    async (seen) => {
      const outcome = await program.call("ids", "wrong_id");
      expect(outcome.ending).toBe("protocol-error");
      expect(outcome.text).not.toContain("not yours");
      seen("protocol-error");
    },
  );

  fault(
    {
      id: "endless-progress-http",
      fault: "progress for ever over HTTP",
      promised: "the timeout holds and the request is closed",
    },
    async (seen) => {
      expect((await program.call("progress", "progress_forever")).ending).toBe("timed-out");
      await until(async () => (await web.seen("/progress")).open === 0, { describe: "the request to be closed" });
      seen("timed-out, request closed");
    },
  );

  fault(
    {
      id: "slow-drip",
      fault: "a reply of one byte now and then",
      promised: "the timeout holds and the request is closed",
    },
    async (seen) => {
      const [outcome] = await Promise.all([program.call("drip", "drips"), program.steady()]);
      expect(outcome.ending).toBe("timed-out");
      await until(async () => (await web.seen("/drip")).open === 0, { describe: "the request to be closed" });
      seen("timed-out, request closed");
    },
  );

  fault(
    {
      id: "timed-out-open",
      fault: "40 calls over HTTP that nobody answers",
      promised: "all time out and none is left open at the server",
    },
    async (seen) => {
      const outcomes = await Promise.all(Array.from({ length: 40 }, () => program.call("open", "silent")));
      expect(outcomes.filter(({ ending }) => ending === "timed-out")).toHaveLength(40);
      await until(async () => (await web.seen("/open")).open === 0, { describe: "all requests to be closed" });
      expect((await web.seen("/open")).calls.silent).toBe(40);
      seen("40 timed-out, 0 open");
    },
  );

  for (const status of [404, 400]) {
    fault(
      {
        id: `lost-session-${status}`,
        fault: `the server has forgotten the session (${status})`,
        promised: "renewed once, and the call that was refused is made",
      },
      async (seen) => {
        const server = `lost-${status}`;
        expect(await program.call(server, "ping")).toMatchObject({ status: "success" });
        const { initialized } = await web.seen(`/${server}`);
        await web.forgetSessions(`/${server}`);
        const outcomes = await Promise.all([1, 2, 3].map(() => program.call(server, "ping")));
        expect(outcomes.map((outcome) => outcome.status)).toEqual(["success", "success", "success"]);
        expect((await web.seen(`/${server}`)).initialized).toBe(initialized + 1);
        seen("three calls succeed, one new session");
      },
    );
  }

  for (const status of [429, 503]) {
    fault(
      {
        id: `retry-after-${status}`,
        fault: `the server answers ${status} with Retry-After: 8`,
        promised: "the call ends with it; calls within that time are refused unsent, naming until when; then it works",
      },
      async (seen) => {
        const server = `busy-${status}`;
        const first = await program.call(server, `busy_${status}`, { seconds: 8 });
        expect(first.ending).toBe("unreachable");
        expect(first.text).toContain(String(status));
        const within = await program.call(server, "ping");
        expect(within.status).toBe("error");
        expect(within.text).toMatch(/until \d{4}-\d\d-\d\dT[\d:.]+Z/);
        expect((await web.seen(`/${server}`)).calls.ping).toBeUndefined();
        await program.untilWorks(server);
        expect((await web.seen(`/${server}`)).calls[`busy_${status}`]).toBe(1);
        seen(`${within.ending} until the named time, then success`);
      },
    );
  }

  for (const [name, wait] of [
    ["retry-0", "0"],
    ["retry-big", "99999999999"],
  ] as const) {
    fault(
      {
        id: name,
        fault: `the server ends every stream at once and asks to come back in ${wait} ms`,
        promised: "it is asked again no more than once a second; calls go on",
      },
      async (seen) => {
        const path = `/retry-${wait}`;
        const before = (await web.seen(path)).gets;
        const started = performance.now();
        await until(() => performance.now() - started > 2_500, { describe: "2.5 s to pass" });
        const gets = (await web.seen(path)).gets - before;
        // The first request may have been sent earlier and only arrived since.
        expect(gets).toBeLessThanOrEqual(Math.ceil((performance.now() - started) / 1_000) + 1);
        expect(await program.call(name, "ping")).toMatchObject({ status: "success" });
        seen(`${gets} streams asked for in 2.5 s`);
      },
    );
  }

  fault(
    {
      id: "resume-waits",
      fault: "a call's stream ends with retry: 0 or retry: 99999999999 and never goes on",
      promised: "the call ends on its own clock at the latest; the stream is not asked for in a loop",
    },
    async (seen) => {
      const before = (await web.seen("/resume")).gets;
      const outcomes = await Promise.all([
        program.call("resume", "resume_in", { ms: 0 }),
        program.call("resume", "resume_in", { ms: 99_999_999_999 }),
      ]);
      for (const { ending } of outcomes) expect(["interrupted", "timed-out"]).toContain(ending);
      const gets = (await web.seen("/resume")).gets - before;
      expect(gets).toBeLessThanOrEqual(5);
      seen(`${outcomes.map(({ ending }) => ending).join(" and ")}, ${gets} streams asked for`);
    },
  );

  fault(
    {
      id: "legacy-sse-drop",
      fault: "the stream of the old SSE transport breaks in a call",
      promised: "interrupted at once, not repeated; the next call works on a new stream",
    },
    async (seen) => {
      const [outcome] = await Promise.all([program.call("sse", "drop_stream"), program.steady()]);
      expect(outcome.ending).toBe("interrupted");
      await program.untilWorks("sse");
      expect((await web.seen("/sse")).calls.drop_stream).toBe(1);
      seen("interrupted, sent once, works again");
    },
  );

  fault(
    {
      id: "legacy-sse-silent",
      fault: "an old SSE server that never names its endpoint",
      promised: "unreachable within its connect budget; others connect",
    },
    async (seen) => {
      const config = await toolboxFile({
        servers: {
          silent: { url: `${web.origin}/sse-silent`, transport: "sse", timeout: 1, reconnect: "never" },
          other: { url: `${web.origin}/other` },
        },
      });
      const { stdout } = await runProgram(["servers", "--json", "--config", config]);
      expect(parsed(stdout).servers).toMatchObject([
        { name: "silent", status: "error", cause: expect.stringMatching(/^no answer within 1 s\n/) },
        { name: "other", status: "connected" },
      ]);
      seen("no answer within 1 s");
    },
  );
});

describe("afterwards", () => {
  fault(
    {
      id: "http-after",
      fault: "the program ends after all of these",
      promised: "exit 0, no request left open, every call in the log as it was answered",
    },
    async (seen) => {
      await program.end();
      for (const path of PATHS) {
        await until(async () => (await web.seen(`/${path}`)).open === 0, { describe: `no open reply at ${path}` });
      }
      seen("nothing left, log complete");
    },
  );
});
