import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type {
  ApprovalRequest,
  CallOutcome,
  CallStatus,
  RunEnd,
  RunEvent,
  RunRequest,
  ServerQuestion,
} from "@tacklebox/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { runProgram } from "../program.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { operatorEnv } from "../testing/operator-env.ts";
import { createScriptedEngine, failed, succeeded } from "../testing/scripted-engine.ts";
import { type PlayRun, scriptedRuns } from "../testing/scripted-runs.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-run-"));
  writeFileSync(join(folder, "tacklebox.yaml"), "servers: {}\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

const started: RunEvent = { type: "run-started", runId: "run-1", sessionId: "session-1", model: "m" };
const ended = (end: RunEnd): RunEvent => ({ type: "run-ended", runId: "run-1", end });
const done = ended({ reason: "done" });
const textEvents = (...pieces: string[]): RunEvent[] => pieces.map((text) => ({ type: "text", text }));
const changed = (status: CallStatus, server = "files"): RunEvent => ({
  type: "call-changed",
  call: {
    ...{ id: "c1", scope: "agent", server, toolName: "read", shownName: "files_read", status },
    ...{ arguments: { path: "a\u001b[2J" }, startedAt: "2026-01-01T00:00:00.000Z" },
  },
});
const asked = changed("pending");
const request = { server: "files", tool: "read", arguments: {} };
const answered = (outcome: CallOutcome): RunEvent => ({
  type: "call-result",
  callId: "c1",
  outcome,
  text: "for the model",
});

async function run(argv: readonly string[], events: readonly RunEvent[], overrides: Partial<Io> = {}) {
  const io = createMemoryIo({
    cwd: folder,
    env: operatorEnv(folder, { TACKLEBOX_DATA: folder, NO_COLOR: "1" }),
    ...overrides,
  });
  const requests: RunRequest[] = [];
  const runs = scriptedRuns((given, { options }) => {
    requests.push(given);
    const showsDefinitions = io.stderrIsTerminal && !argv.includes("--json");
    expect(options).toEqual({ showsDefinitions, caller: { door: "cli" } });
    return events;
  });
  const { open, steps } = createScriptedEngine({ runs });
  const code = await runProgram(["run", ...argv], io, open);
  return { code, stdout: io.stdout.text(), stderr: io.stderr.text(), requests, steps };
}

function onTerminal(): Partial<Io> {
  return { stdoutIsTerminal: true, stderrIsTerminal: true, columns: 60, stderrColumns: 60, stdinKind: "terminal" };
}

describe("the prompt", () => {
  const promptOf = ({ requests }: Awaited<ReturnType<typeof run>>) => requests.map(({ prompt }) => prompt);
  const text = (words: string) => [[{ type: "text", text: words }]];
  const piped = (words: string): Partial<Io> => ({ stdin: Readable.from([words]) });

  it("is the argument, then what is piped in after a blank line", async () => {
    expect(promptOf(await run(["sum up"], [started, done]))).toEqual(text("sum up"));
    expect(promptOf(await run(["sum up"], [started, done], piped("one\ntwo\n")))).toEqual(text("sum up\n\none\ntwo"));
  });

  it("is stdin alone with - or without an argument", async () => {
    expect(promptOf(await run(["-"], [started, done], piped("do it")))).toEqual(text("do it"));
    expect(promptOf(await run([], [started, done], piped("do it")))).toEqual(text("do it"));
  });

  it("is not read from a terminal unless that was asked for", async () => {
    const never = { ...onTerminal(), stdin: new Readable({ read: () => undefined }) };
    expect(promptOf(await run(["hello"], [started, done], never))).toEqual(text("hello"));
  });

  it("that is empty is a usage error, and starts nothing", async () => {
    for (const argv of [[], ["-"], [" "]]) {
      const { code, stderr, steps } = await run(argv, [], piped("\n"));
      expect([code, stderr, steps]).toEqual([
        EXIT.usage,
        'There is no prompt. Write one, such as: tacklebox run "list my files"\n',
        [],
      ]);
    }
  });

  it("longer than 16 MiB is refused", async () => {
    const long = { stdin: Readable.from([Buffer.alloc(16 * 1024 * 1024 + 1, "x")]) };
    expect(await run(["-"], [], long)).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining("16 MiB") });
  });
});

describe("options", () => {
  it("GPT, model, approval mode and session go to the engine", async () => {
    const argv = ["hi", "--gpt", "g", "--model", "m", "--approve", "trusted-only", "--session", "s"];
    expect((await run(argv, [started, done])).requests).toMatchObject([
      { gpt: "g", model: "m", approvalMode: "trusted-only", sessionId: "s" },
    ]);
    expect(Object.keys((await run(["hi"], [started, done])).requests[0] ?? {})).toEqual(["prompt"]);
  });

  it("--tool adds tools to the session and --without removes them, and no tool can be named by both", async () => {
    const argv = ["hi", "--tool", "a", "--tool", "s:b", "--without", "c"];
    expect((await run(argv, [started, done])).requests).toMatchObject([{ tools: { a: "in", "s:b": "in", c: "out" } }]);
    expect(await run(["hi", "--tool", "a", "--without", "a"], [])).toMatchObject({
      code: EXIT.usage,
      stderr: "'a' is named by --tool and by --without. Name it by one of them.\n",
      steps: [],
    });
  });

  it("an unknown approval mode is a usage error", async () => {
    expect(await run(["hi", "--approve", "never"], [])).toMatchObject({ code: EXIT.usage, steps: [] });
  });
});

describe("plain output", () => {
  it("is the model's text alone, ended with a newline; each turn begins on its own line", async () => {
    const events = [
      started,
      ...textEvents("I ", "look."),
      asked,
      answered(succeeded(request, "x")),
      ...textEvents("It is x."),
      done,
    ];
    expect(await run(["hi"], events)).toMatchObject({ code: EXIT.ok, stdout: "I look.\nIt is x.\n", stderr: "" });
  });

  it("says how many tools are sent only on a terminal, and everywhere when the model takes too few", async () => {
    const tools = [{ name: "a", server: "s", mode: "agent", score: 0.5 }] as const;
    const made = (capped: number): RunEvent => ({
      type: "selection-made",
      selection: { tools, left: 1_000, demoted: 1_001, capped },
    });
    expect((await run(["hi"], [started, made(0), ...textEvents("ok"), done])).stderr).toBe("");
    expect((await run(["hi"], [started, made(0), ...textEvents("ok"), done], onTerminal())).stderr).toMatch(
      /^1 of 1001 tools is sent to the model, which can search the others\n/,
    );
    expect((await run(["hi"], [started, made(2), ...textEvents("ok"), done])).stderr).toBe(
      "1 of 1003 tools is sent to the model, which can search the others. There is no room for 2 more that should always be sent; the model can still use call_tool for them\n",
    );
    const { stdout } = await run(["hi", "--json"], [started, made(0), done]);
    expect(stdout.split("\n")[1]).toBe(
      '{"type":"selection-made","tools":[{"name":"a","server":"s","mode":"agent","score":0.5}],"left":1000,"demoted":1001,"capped":0}',
    );
  });

  it("says on stderr which call failed and why", async () => {
    const events = [
      started,
      asked,
      answered(failed(request, "denied", "Tool call denied: no")),
      ...textEvents("Sorry."),
      done,
    ];
    const { stdout, stderr } = await run(["hi"], events);
    expect([stdout, stderr]).toEqual(["Sorry.\n", "← read denied, 5 ms: Tool call denied: no\n"]);
  });

  it("shows on a terminal each call and the session to continue with, without escape sequences of servers (T18)", async () => {
    const events = [started, asked, answered(succeeded(request, "x")), ...textEvents("a\u001b[2Jb"), done];
    const { stdout, stderr } = await run(["hi"], events, onTerminal());
    expect(stdout).toBe("a\\x1b[2Jb\n");
    expect(stderr).toBe(
      '→ files_read {"path":"a\\u001b[2J"}\n← read ok, 5 ms\nTo continue: tacklebox run --session session-1 "…"\n',
    );
  });

  it("keeps characters and line ends together that arrive in two pieces", async () => {
    const events = [started, ...textEvents("\ud83d", "\ude00 a\r", "\nb\r"), done];
    expect((await run(["hi"], events)).stdout).toBe("😀 a\r\nb\r\n");
    expect((await run(["hi"], events, onTerminal())).stdout).toBe("😀 a\nb\\r\n");
  });
});

describe("the end", () => {
  const ends: [RunEnd, number, string][] = [
    [{ reason: "done" }, EXIT.ok, "Model 'm' ended its turn without saying anything.\n"],
    [{ reason: "length" }, EXIT.callFailed, "The answer is cut off: model 'm' has reached its limit."],
    [{ reason: "refused" }, EXIT.callFailed, "Model 'm' refused to answer.\n"],
    [{ reason: "cancelled" }, EXIT.interrupted, "Cancelled.\n"],
    [{ reason: "too-many-rounds", message: "Error: too many" }, EXIT.callFailed, "Error: too many\n"],
    [{ reason: "model-error", code: "auth", message: "Bad key" }, EXIT.callFailed, "Bad key\n"],
    [{ reason: "not-started", message: "No such model" }, EXIT.couldNotStart, "No such model\n"],
  ];
  it.each(ends)("%j has its exit code and says why, and everything is closed (T2.6)", async (end, code, why) => {
    const plain = await run(["hi"], [started, ended(end)]);
    expect(plain).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(why) });
    expect(plain.steps).toEqual(["start", "stop 0", "close"]);
    const json = await run(["hi", "--json"], [ended(end)]);
    expect([json.code, JSON.parse(json.stdout)]).toEqual([code, { type: "run-ended", ...end }]);
  });

  it("reports as JSON how long a model asks to wait", async () => {
    const busy = { reason: "model-error", code: "rate-limit", message: "Busy", retryAfterMs: 7_000 } as const;
    const { stdout } = await run(["hi", "--json"], [started, ended(busy)]);
    const last = {
      type: "run-ended",
      reason: "model-error",
      code: "rate-limit",
      message: "Busy",
      retry_after_ms: 7_000,
    };
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toEqual(last);
  });

  it("everything is closed even when the engine throws (S2.7)", async () => {
    const io = createMemoryIo({ cwd: folder, env: operatorEnv(folder, { TACKLEBOX_DATA: folder }) });
    const play: PlayRun = () => {
      throw new Error("a bug");
    };
    const { open, steps } = createScriptedEngine({ runs: scriptedRuns(play) });
    await expect(runProgram(["run", "hi"], io, open)).rejects.toThrow("a bug");
    expect(steps).toEqual(["start", "stop 0", "close"]);
  });

  it.each([
    ["SIGINT", "cancelled", EXIT.interrupted, ["start", "stop 0", "close"]],
    ["SIGTERM", "done", EXIT.ok, ["start", "stop 10000", "close"]],
  ] as const)("%s: the run ends as %s", async (signal, reason, code, expected) => {
    const io = createMemoryIo({ cwd: folder, env: operatorEnv(folder, { TACKLEBOX_DATA: folder }) });
    const play: PlayRun = async function* (_request, run) {
      yield started;
      io.raise(signal);
      yield ended({ reason: run.signal.aborted ? "cancelled" : "done" });
    };
    const { open, steps } = createScriptedEngine({ runs: scriptedRuns(play) });
    expect(await runProgram(["run", "hi"], io, open)).toBe(code);
    expect([steps, reason]).toEqual([expected, code === EXIT.ok ? "done" : "cancelled"]);
  });

  it("a reader that goes away cancels the run", async () => {
    const io = createMemoryIo({ cwd: folder, env: operatorEnv(folder, { TACKLEBOX_DATA: folder }) });
    let cancelled: boolean | undefined;
    const play: PlayRun = async function* (_request, { signal }) {
      yield started;
      io.stdout.breakOff();
      cancelled = signal.aborted;
      yield ended({ reason: "cancelled" });
    };
    const { open } = createScriptedEngine({ runs: scriptedRuns(play) });
    await runProgram(["run", "hi"], io, open);
    expect(cancelled).toBe(true);
  });
});

describe("--json", () => {
  const ref = { scope: "agent", server: "files", name: "read" } as const;
  const requested: ApprovalRequest = {
    callId: "c1",
    tool: ref,
    shownName: "files_read",
    arguments: { a: 1 },
    argumentsDigest: "d",
    fingerprint: "f",
    reason: "asked",
    definition: {},
    lasting: ["once"],
    expiresAt: 0,
  };
  const QUESTION: ServerQuestion = {
    ...{ id: "q1", callId: "c1", scope: "agent", server: "files", message: "Where?", expiresAt: 0 },
    ...{ kind: "form", schema: {} },
  };

  it("reports a call of an unknown tool without a server", async () => {
    const { stdout } = await run(["hi", "--json"], [changed("pending", ""), done]);
    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({ type: "call-pending", server: null });
  });

  it("prints every event on a line of its own, in order, with the documented fields", async () => {
    const events: RunEvent[] = [
      started,
      { type: "thought", text: "hm" },
      ...textEvents("hello"),
      asked,
      { type: "approval-requested", request: requested },
      { type: "approval-answered", callId: "c1", answer: "deny" },
      changed("running"),
      { type: "call-progressed", callId: "c1", progress: { progress: 1, total: 2, message: "half" } },
      { type: "question-asked", question: QUESTION },
      { type: "question-answered", questionId: "q1", callId: "c1", answer: "withdrawn" },
      changed("success"),
      { type: "gap" },
      answered(succeeded(request, "x")),
      { type: "usage", usage: { inputTokens: 3, outputTokens: 4 } },
      { type: "context-trimmed", messages: 2 },
      done,
    ];
    const { code, stdout, stderr } = await run(["hi", "--json"], events);
    const lines: object[] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([code, stderr]).toEqual([EXIT.ok, ""]);
    expect(lines).toEqual([
      { type: "run-started", run_id: "run-1", session_id: "session-1", model: "m" },
      { type: "thought", text: "hm" },
      { type: "text", text: "hello" },
      { type: "call-pending", call_id: "c1", server: "files", tool: "files_read", arguments: { path: "a\u001b[2J" } },
      {
        ...{ type: "approval-requested", call_id: "c1", server: "files", tool: "files_read", arguments: { a: 1 } },
        ...{ reason: "asked", expires_at: "1970-01-01T00:00:00.000Z" },
      },
      { type: "approval-answered", call_id: "c1", answer: "deny" },
      { type: "call-running", call_id: "c1" },
      { type: "call-progress", call_id: "c1", progress: 1, total: 2, message: "half" },
      {
        ...{ type: "call-ended", call_id: "call-1", server: "files", tool: "read", status: "success" },
        ...{ is_error: false, text: "for the model", content: [{ type: "text", text: "x" }], duration_ms: 5 },
      },
      { type: "usage", input_tokens: 3, output_tokens: 4 },
      { type: "context-trimmed", messages: 2 },
      { type: "run-ended", reason: "done" },
    ]);
    const help = (await run(["--help"], [])).stdout;
    const shapes = help.slice(help.indexOf("JSON:"));
    for (const line of lines)
      for (const field of Object.keys(line)) expect(shapes).toMatch(new RegExp(`\\b${field}\\b`));
  });
});
