import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { CallRequest } from "@tacklebox/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runProgram } from "../../program.ts";
import { createMemoryIo, type MemoryIo } from "../../testing/memory-io.ts";
import { operatorEnv } from "../../testing/operator-env.ts";
import {
  createScriptedEngine,
  type EngineScript,
  failed,
  type ScriptedEngine,
  succeeded,
} from "../../testing/scripted-engine.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-stdin-"));
  writeFileSync(join(folder, "tacklebox.yaml"), "servers:\n  files:\n    command: files-server\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Started extends ScriptedEngine {
  readonly io: MemoryIo;
  readonly input: PassThrough;
  readonly ended: Promise<number>;
  lines(): unknown[];
}

function start(script: EngineScript, ...argv: string[]): Started {
  const input = new PassThrough();
  const io = createMemoryIo({ cwd: folder, env: operatorEnv(folder, { TACKLEBOX_DATA: folder }), stdin: input });
  const engine = createScriptedEngine(script);
  const ended = runProgram(["call", "--stdin", ...argv], io, engine.open);
  const lines = () =>
    io.stdout
      .text()
      .split("\n")
      .filter((line) => line !== "")
      .map((line): unknown => JSON.parse(line));
  return { ...engine, io, input, ended, lines };
}

/** Calls that end when the test says so, or when they are cancelled or the engine stops. */
function createHeldCalls(): { script: EngineScript; running: Map<string, () => void> } {
  const running = new Map<string, () => void>();
  const held = (request: CallRequest, signal: AbortSignal | undefined) =>
    new Promise<"ended" | "cancelled">((resolve) => {
      running.set(request.tool, () => resolve("ended"));
      signal?.addEventListener("abort", () => resolve("cancelled"));
    });
  const script: EngineScript = {
    calls: {
      async make(request, options) {
        expect(options?.caller).toEqual({ door: "cli" });
        const how = await held(request, options?.signal);
        return how === "ended" ? succeeded(request, request.tool) : failed(request, "cancelled", "cancelled");
      },
    },
    host: {
      async stop(drainMs) {
        if (drainMs !== 0) for (const end of running.values()) end();
      },
    },
  };
  return { script, running };
}

// The first import of a command can take seconds on a busy machine.
const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 60_000, interval: 5 });

describe("call --stdin", () => {
  it("runs calls at the same time and answers each as it ends, with its id", async () => {
    const { script, running } = createHeldCalls();
    const { input, lines, ended } = start(script);
    input.write('{"id":1,"tool":"slow"}\n{"id":"two","tool":"fast"}\n');
    await until(() => running.size === 2);
    running.get("fast")?.();
    await until(() => lines().length === 1);
    running.get("slow")?.();
    input.end();
    expect(await ended).toBe(0);
    expect(lines()).toMatchObject([
      { id: "two", tool: "fast", status: "success", text: "fast" },
      { id: 1, tool: "slow", status: "success", text: "slow" },
    ]);
  });

  it("answers a malformed line with an error and goes on", async () => {
    const { input, lines, ended } = start({});
    input.end('{"tool":"a"}\n\n{oops\n{"id":null,"tool":"b"}\n');
    expect(await ended).toBe(0);
    expect(lines()).toContainEqual({
      id: null,
      call_id: null,
      server: null,
      tool: null,
      status: "error",
      ending: "invalid-arguments",
      is_error: true,
      text: expect.stringMatching(/^MCP error: line 3: not JSON: /),
      content: [],
      error: expect.stringMatching(/^line 3: not JSON: /),
      duration_ms: 0,
    });
    expect(lines()).toHaveLength(3);
  });

  it("exits 0 when the stream worked, however the calls ended", async () => {
    const { input, ended } = start({ calls: { make: async (request) => failed(request, "denied", "no") } });
    input.end('{"tool":"a"}\n');
    expect(await ended).toBe(0);
  });

  it("SIGTERM stops reading, drains for 10 s at most, answers what was running and exits 0", async () => {
    const { script, running } = createHeldCalls();
    const { input, io, lines, steps, ended } = start(script);
    input.write('{"tool":"a"}\n');
    await until(() => running.size === 1);
    io.raise("SIGTERM");
    expect(await ended).toBe(0);
    expect(lines()).toMatchObject([{ tool: "a", status: "success" }]);
    expect(steps).toEqual(["start", "stop 10000", "close"]);
  });

  it("SIGINT cancels running calls and exits 130", async () => {
    const { script, running } = createHeldCalls();
    const { input, io, lines, steps, ended } = start(script);
    input.write('{"tool":"a"}\n');
    await until(() => running.size === 1);
    io.raise("SIGINT");
    expect(await ended).toBe(130);
    expect(lines()).toMatchObject([{ tool: "a", status: "error", ending: "cancelled" }]);
    expect(steps).toEqual(["start", "stop 0", "close"]);
  });

  it("ends quietly when the reader of its output is gone", async () => {
    const { script, running } = createHeldCalls();
    const { input, io, ended } = start(script);
    input.write('{"tool":"a"}\n');
    await until(() => running.size === 1);
    io.stdout.breakOff();
    expect(await ended).toBe(0);
    expect(io.stderr.text()).not.toContain("error");
  });

  it("S4.37 serves metrics and says where", async () => {
    const { input, io, ended } = start({}, "--metrics", "0");
    await until(() => io.stderr.text().includes("/metrics\n"));
    const url = /^Metrics at (http:\/\/127\.0\.0\.1:\d+\/metrics)\n/.exec(io.stderr.text())?.[1] ?? "";
    expect(await (await fetch(url)).text()).toContain("# HELP tool_usage Summary of tool usage");
    input.end();
    expect(await ended).toBe(0);
  });

  it("answers every line, also one for which the engine throws or gives what cannot be printed", async () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const { input, ended, lines } = start({
      calls: {
        make(request) {
          if (request.tool === "throws") throw new TypeError("a bug");
          if (request.tool === "rejects") return Promise.reject(new TypeError("a bug"));
          const outcome = succeeded(request, "ok");
          if (request.tool !== "cycle" || outcome.status !== "success") return Promise.resolve(outcome);
          return Promise.resolve({ ...outcome, result: { ...outcome.result, structuredContent: cycle as never } });
        },
      },
    });
    for (const tool of ["throws", "rejects", "cycle", "fine"]) input.write(`${JSON.stringify({ id: tool, tool })}\n`);
    input.end();
    expect(await ended).toBe(0);
    const answers = new Map(lines().map((line) => [Reflect.get(Object(line), "id"), line]));
    for (const tool of ["throws", "rejects", "cycle"])
      expect(answers.get(tool)).toMatchObject({
        tool,
        status: "error",
        ending: "interrupted",
        error: expect.stringContaining("an internal error; the call may have run"),
      });
    expect(answers.get("fine")).toMatchObject({ status: "success" });
  });

  it("answers a line once whose outcome is large, also if the engine throws after handing it over", async () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const { input, ended, lines } = start({
      calls: {
        async make(request, options) {
          const outcome = succeeded(request, "large");
          const unprintable = { content: [], structuredContent: cycle as never, isError: false };
          try {
            await options?.onLargeOutcome?.(
              request.tool === "cycle" && outcome.status === "success" ? { ...outcome, result: unprintable } : outcome,
            );
          } catch {
            // As the engine does: the call has ended, and its outcome is returned.
          }
          if (request.tool === "throws") throw new TypeError("a bug");
          return outcome;
        },
      },
    });
    for (const tool of ["large", "throws", "cycle"]) input.write(`${JSON.stringify({ id: tool, tool })}\n`);
    input.end();
    expect(await ended).toBe(0);
    expect(lines()).toHaveLength(3);
    for (const id of ["large", "throws", "cycle"])
      expect(lines()).toContainEqual(expect.objectContaining({ id, status: "success", text: "large" }));
  });
});
