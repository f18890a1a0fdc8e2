import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Engine, EngineHost, StartProblem } from "@tacklebox/core";
import { waitUntil } from "@tacklebox/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Io } from "../io.ts";
import { runProgram } from "../program.ts";
import { createMemoryIo, type MemoryIo } from "../testing/memory-io.ts";
import { operatorEnv } from "../testing/operator-env.ts";
import {
  createScriptedEngine,
  type EngineScript,
  failed,
  readTool,
  serverView,
  succeeded,
} from "../testing/scripted-engine.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-commands-"));
  writeFileSync(join(folder, "tacklebox.yaml"), "servers:\n  files:\n    command: files-server\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly steps: readonly string[];
}

const env = () => operatorEnv(folder, { TACKLEBOX_DATA: folder });

async function run(argv: readonly string[], script: EngineScript = {}, overrides: Partial<Io> = {}): Promise<Ran> {
  return runIn(createMemoryIo({ cwd: folder, env: env(), ...overrides }), argv, script);
}

async function runIn(io: MemoryIo, argv: readonly string[], script: EngineScript = {}): Promise<Ran> {
  const { open, steps } = createScriptedEngine(script);
  const code = await runProgram(argv, io, open);
  return { code, stdout: io.stdout.text(), stderr: io.stderr.text(), steps };
}

const problem: StartProblem = {
  kind: "unreachable",
  server: "files",
  text: "Failed to connect to MCP server 'files' at files-server\nError: gone",
};
const broken: EngineScript = {
  host: { start: async () => ({ problems: [problem, { ...problem, text: "Second" }] }) },
};
const down = serverView({
  status: "error",
  cause: "gone",
  toolCount: 0,
  quarantined: [{ name: "bad\u001b[2J", reason: "no schema" }],
});
const servers: EngineScript = { servers: { list: async () => [down] } };

describe("every command that starts servers", () => {
  it.each([
    ["check"],
    ["servers"],
    ["tools"],
    ["search", "x"],
    ["call", "files", "read"],
    ["why", "read"],
    ["trust", "files"],
  ])("S4.18 exits 1 on a required failure, prints each text raw and leaves nothing running: %s", async (...argv) => {
    const { code, stderr, steps } = await run(argv, { ...broken, ...servers });
    expect(code).toBe(1);
    expect(stderr).toContain(`${problem.text}\n\nSecond\n`);
    expect(steps).toEqual(["start", "stop 0", "close"]);
  });

  it("starts nothing when the config is wrong, and says where", async () => {
    writeFileSync(join(folder, "tacklebox.yaml"), "servers:\n  files:\n    comand: x\n");
    const { code, stdout, stderr, steps } = await run(["check"]);
    expect([code, stdout, steps]).toEqual([1, "", []]);
    expect(stderr.startsWith(`${join(folder, "tacklebox.yaml")}:`)).toBe(true);
  });

  it("says where it looked for a config when there is none", async () => {
    rmSync(join(folder, "tacklebox.yaml"));
    const { code, stderr } = await run(["tools"]);
    expect(code).toBe(1);
    expect(stderr).toContain(`No config file found. Looked at:\n  ${join(folder, "tacklebox.yaml")}\n`);
  });

  it("stops and exits 130 when interrupted while servers connect", async () => {
    const io = createMemoryIo({ cwd: folder, env: env() });
    const start: EngineHost["start"] = (signal) => {
      io.raise("SIGINT");
      return Promise.reject(signal?.reason);
    };
    expect(await runIn(io, ["check"], { host: { start } })).toEqual({
      code: 130,
      stdout: "",
      stderr: "",
      steps: ["start", "stop 0", "close"],
    });
  });
});

describe("check", () => {
  it("reports as JSON", async () => {
    const { code, stdout } = await run(["check", "--json"], {
      ...broken,
      ...servers,
      tools: { list: async () => [readTool] },
    });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      servers: [
        {
          name: "files",
          status: "error",
          transport: "stdio",
          address: "files-server",
          protocol: null,
          required: true,
          tools: 0,
          cause: "gone",
          oddities: {},
          quarantined: [{ name: "bad\u001b[2J", reason: "no schema" }],
          name_conflicts: [],
        },
      ],
      down: ["files"],
      disabled: [],
      tools: 1,
      problems: [problem, { ...problem, text: "Second" }],
      warnings: [],
    });
  });

  it("says that everything is ready", async () => {
    const { code, stdout } = await run(["check"], { tools: { list: async () => [readTool] } });
    expect([code, stdout]).toEqual([
      0,
      "No servers are configured. `tacklebox add` adds one.\n\nReady. 1 tool may be called.\n",
    ]);
  });
});

describe("search", () => {
  const why = { named: false, words: [], server: 0, meaning: 0 };
  const found: Engine["tools"]["search"] = async (query, { limit } = {}) => {
    expect([query, limit]).toEqual(["load a fiel", 3]);
    const words = [
      { asked: "load", found: "read", how: "synonym", fields: ["name"] },
      { asked: "file", found: "file", how: "same", fields: ["description"] },
    ] as const;
    return [
      { tool: { ...readTool, shownName: "read\u001b[2J" }, score: 0.8642, why: { ...why, words } },
      { tool: readTool, score: 0.2, why: { ...why, named: true } },
      { tool: readTool, score: 0.1, why: { ...why, meaning: 0.5 } },
    ];
  };
  const script: EngineScript = { tools: { search: found, list: async () => [readTool] } };

  it("T18 shows what was found and why, with nothing a terminal would interpret", async () => {
    const { code, stdout } = await run(["search", "load a fiel", "--limit", "3"], script);
    expect([code, stdout]).toEqual([
      0,
      [
        "TOOL         SERVER  SCORE  WHY                 DESCRIPTION",
        "read\\x1b[2J  files   0.86   load as read, file  Reads a file.",
        "files_read   files   0.20   its name            Reads a file.",
        "files_read   files   0.10   its meaning         Reads a file.",
        "",
      ].join("\n"),
    ]);
  });

  it("refuses to search for nothing", async () => {
    expect(await run(["search", " "])).toMatchObject({ code: 2, stdout: "" });
  });

  it("says that nothing was found, and which servers there are", async () => {
    const none: EngineScript = { tools: { list: async () => [readTool] } };
    const { stdout } = await run(["search", "x\u001b"], none);
    expect(stdout).toBe("No tool matches 'x\\x1b'. Servers with tools: files.\n");
    expect((await run(["search", "x"])).stdout).toBe("No tool matches 'x'. No server has any tools.\n");
    expect((await run(["search", "x", "--json"], none)).stdout).toBe('{"query":"x","tools":[],"servers":["files"]}\n');
  });
});

describe("tools", () => {
  const script: EngineScript = { ...servers, tools: { list: async () => [readTool] } };

  it("shows the limits of each tool", async () => {
    expect(await run(["tools"], script)).toMatchObject({
      code: 0,
      stdout: [
        "TOOL        SERVER  MAX  TIMEOUT  INCLUDE  DESCRIPTION",
        "files_read  files   5    30 s     always   Reads a file.",
        "",
      ].join("\n"),
    });
  });

  it("exits 2 for an unknown server", async () => {
    const { code, stderr } = await run(["tools", "--server", "fils"], script);
    expect(code).toBe(2);
    expect(stderr).toBe(`${join(folder, "tacklebox.yaml")}\nNo server is named "fils". Servers: files\n`);
  });
});

describe("call", () => {
  it("prints the text of the result", async () => {
    expect(await run(["call", "files", "read"])).toMatchObject({ code: 0, stdout: "ok\n", stderr: "" });
  });

  it("S2.10 prints a failure on stderr and exits 4 when denied", async () => {
    const make: Engine["calls"]["make"] = async (request) => failed(request, "denied", "not today");
    expect(await run(["call", "files", "read"], { calls: { make } })).toMatchObject({
      code: 4,
      stdout: "",
      stderr: "MCP error: not today\n",
    });
  });

  it("prints one outcome as JSON", async () => {
    const make: Engine["calls"]["make"] = async (request) => failed(request, "timed-out", "too slow");
    const { code, stdout } = await run(["call", "files", "read", "--json"], { calls: { make } });
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toEqual({
      id: null,
      call_id: "call-1",
      server: "files",
      tool: "read",
      status: "error",
      ending: "timed-out",
      is_error: true,
      text: "MCP error: too slow",
      content: [],
      error: "too slow",
      duration_ms: 5,
    });
  });

  it("reads arguments from stdin", async () => {
    const seen: unknown[] = [];
    const make: Engine["calls"]["make"] = async (request) => {
      seen.push(request);
      return failed(request, "denied", "no");
    };
    await run(
      ["call", "files", "read", "--args", "-"],
      { calls: { make } },
      { stdin: Readable.from(['{"path":', '"a"}']) },
    );
    expect(seen).toEqual([{ id: expect.any(String), server: "files", tool: "read", arguments: { path: "a" } }]);
  });

  it.each([
    ["[]", '--args: arguments must be an object, such as {"message": "hello"}\n'],
    ["nope", "--args: not JSON: "],
  ])("exits 2 before starting anything when --args is %s", async (args, message) => {
    const { code, stderr, steps } = await run(["call", "files", "read", "--args", args]);
    expect([code, steps]).toEqual([2, []]);
    expect(stderr.startsWith(message)).toBe(true);
  });

  it("T18 makes a result printable on a terminal and leaves it unchanged in a pipe", async () => {
    const make: Engine["calls"]["make"] = async (request) => ({
      callId: "c",
      shownName: request.tool,
      durationMs: 1,
      status: "success",
      result: { content: [{ type: "text", text: "\u001b[2Jhi" }], isError: false },
    });
    expect(await run(["call", "files", "read"], { calls: { make } }, { stdoutIsTerminal: true })).toMatchObject({
      stdout: "\\x1b[2Jhi\n",
    });
    expect(await run(["call", "files", "read"], { calls: { make } })).toMatchObject({ stdout: "\u001b[2Jhi\n" });
  });

  it("shows the progress of its own call on a terminal, and nothing of others", async () => {
    const io = createMemoryIo({ cwd: folder, env: env(), stderrIsTerminal: true, stderrColumns: 60 });
    const scripted = createScriptedEngine({
      calls: {
        async make(request) {
          const progress = { progress: 1, total: 2, message: "half" };
          scripted.emit({ type: "call-progressed", callId: "another", progress: { progress: 9 } });
          scripted.emit({ type: "call-progressed", callId: request.id ?? "", progress });
          await waitUntil(() => io.stderr.text().includes("half"));
          return succeeded(request, "ok");
        },
      },
    });
    expect(await runProgram(["call", "files", "read"], io, scripted.open)).toBe(0);
    expect(io.stderr.text()).toBe("\r\u001b[2Kread: 1/2 half\r\u001b[2K");
  });

  it("names the command line as its caller", async () => {
    const callers: unknown[] = [];
    const make: Engine["calls"]["make"] = async (request, options) => {
      callers.push(options?.caller);
      return succeeded(request, "ok");
    };
    await run(["call", "files", "read"], { calls: { make } });
    expect(callers).toEqual([{ door: "cli" }]);
  });

  it("cancels at Ctrl-C, exits 130 and leaves nothing running", async () => {
    const io = createMemoryIo({ cwd: folder, env: env() });
    const make: Engine["calls"]["make"] = (request, options) => {
      const cancelled = new Promise<void>((resolve) => options?.signal?.addEventListener("abort", () => resolve()));
      io.raise("SIGINT");
      return cancelled.then(() => failed(request, "cancelled", "cancelled"));
    };
    expect(await runIn(io, ["call", "files", "read"], { calls: { make } })).toEqual({
      code: 130,
      stdout: "",
      stderr: "MCP error: cancelled\n",
      steps: ["start", "stop 0", "close"],
    });
  });
});

describe("why", () => {
  const explain: Engine["tools"]["explain"] = async () => [
    {
      server: "files",
      tool: "read",
      callable: false,
      steps: [
        { step: "declared", verdict: "ok", text: "listed by the server" },
        { step: "allow/deny", verdict: "stop", text: "deny list" },
      ],
    },
  ];

  it("explains step by step", async () => {
    expect(await run(["why", "read"], { tools: { explain } })).toMatchObject({
      code: 0,
      stdout: [
        "read of server files: may not be called",
        "  declared    ok    listed by the server",
        "  allow/deny  stop  deny list",
        "",
      ].join("\n"),
    });
  });

  it("exits 2 when no server has the tool", async () => {
    expect(await run(["why", "raed"])).toMatchObject({
      code: 2,
      stderr: 'No server has a tool named "raed". `tacklebox tools` shows what may be called.\n',
    });
  });
});

describe("calls", () => {
  it("needs no config and starts nothing when nothing was ever called", async () => {
    rmSync(join(folder, "tacklebox.yaml"));
    const stdout = "No calls are recorded yet. `tacklebox call` makes one.\n";
    expect(await run(["calls"])).toEqual({ code: 0, stdout, stderr: "", steps: [] });
    expect((await run(["calls", "--json"])).stdout).toBe('{"calls":[]}\n');
  });
});
