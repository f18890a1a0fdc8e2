import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Connection } from "@tacklebox/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  callOf,
  clientInfo,
  connectionFailure,
  definitionOf,
  LEGACY_SCRIPT,
  neverAborted,
  observe,
  script,
} from "../testing/definitions.ts";
import { eventually } from "../testing/eventually.ts";
import { isRunning } from "../testing/running.ts";
import { createStdioConnector } from "./stdio-connector.ts";

const connector = createStdioConnector({ clientInfo, environment: process.env, maxMessageBytes: 64 * 1024 });
let folder: string;
const open: Connection[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "stdio-"));
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(source: string, observed = observe(), env: Record<string, string> = {}): Promise<Connection> {
  const connection = await connector.open(script(LEGACY_SCRIPT + source, env), observed.options, neverAborted());
  open.push(connection);
  return connection;
}

describe("calls over a pipe", () => {
  it("starts the server once, even though it is probed for its revision first", async () => {
    const pids = path.join(folder, "pids");
    const connection = await start(
      `import { appendFileSync } from "node:fs"; appendFileSync(process.env.PIDS, process.pid + "\\n");`,
      observe(),
      { PIDS: pids },
    );
    expect(connection.info).toEqual({
      name: "script",
      version: "1",
      protocolVersion: "2025-11-25",
      era: "legacy",
      transport: "stdio",
      capabilities: { tools: {} },
    });
    expect(readFileSync(pids, "utf8").trim().split("\n")).toHaveLength(1);
  });

  it("sends string ids of its own, keeps unknown blocks and meta, and fills in what is missing", async () => {
    const connection = await start(`on["tools/call"] = (m) => send({ id: m.id, result: m.params.name === "bare" ? {} : {
      content: [{ type: "hologram", id: m.id }, 7], structuredContent: [1], isError: true, _meta: { a: 1 } } });`);
    expect(await connection.callTool(callOf("rich")).answer).toEqual({
      content: [
        { type: "hologram", id: "call-1-0" },
        { type: "text", text: "7" },
      ],
      structuredContent: [1],
      isError: true,
      meta: { a: 1 },
    });
    expect(await connection.callTool(callOf("bare")).answer).toEqual({ content: [], isError: false });
  });

  it("S1.29 reports a JSON-RPC error with its code", async () => {
    const connection = await start("");
    const error = await connectionFailure(connection.callTool(callOf("x")).answer);
    expect([error.code, error.message]).toEqual(["protocol-error", "MCP Error -32601: no tools/call"]);
  });

  it("passes progress to the call it belongs to and drops late and unknown messages", async () => {
    const connection = await start(`on["tools/call"] = (m) => {
      const progressToken = m.params._meta?.progressToken;
      send({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2, message: "half" } });
      send({ method: "notifications/progress", params: { progressToken: "call-99-0", progress: 9 } });
      send({ id: m.id, result: { content: [] } }); send({ id: m.id, result: { content: [] } });
    };`);
    const seen: unknown[] = [];
    await connection.callTool(callOf("x", { onProgress: (progress) => seen.push(progress) })).answer;
    await connection.callTool(callOf("x")).answer;
    expect(seen).toEqual([{ progress: 1, total: 2, message: "half" }]);
  });

  it("cancels at once, notifies the server, and finishes with the late answer", async () => {
    const connection = await start(`let waiting; on["tools/call"] = (m) => { waiting = m; };
      on["notifications/cancelled"] = (m) => send({ id: m.params.requestId, result: {} });`);
    const controller = new AbortController();
    const call = connection.callTool(callOf("slow", { signal: controller.signal }));
    controller.abort();
    const error = await connectionFailure(call.answer);
    expect([error.code, error.message]).toEqual(["cancelled", "The call was cancelled."]);
    await call.finished;
  });

  it("does not send a call that was cancelled before it began", async () => {
    const connection = await start("");
    const call = connection.callTool(callOf("x", { signal: AbortSignal.abort() }));
    expect((await connectionFailure(call.answer)).code).toBe("cancelled");
    await call.finished;
  });

  it("treats lines that are not JSON as log lines and finds messages after text without a line break", async () => {
    const observed = observe();
    const connection = await start(
      `console.log("Server is up"); on["tools/call"] = (m) => { process.stdout.write("working..."); send({ id: m.id, result: {} }); };`,
      observed,
    );
    expect(await connection.callTool(callOf("x")).answer).toEqual({ content: [], isError: false });
    expect(observed.logs).toContain("Server is up");
  });
});

describe("listing tools", () => {
  it("reads all pages and keeps broken entries for the catalog to judge", async () => {
    const connection = await start(`on["tools/list"] = (m) => send({ id: m.id, result: m.params.cursor === "2"
      ? { tools: [{ name: "b" }] } : { tools: [{ name: "a" }, 5], nextCursor: "2" } });`);
    expect(await connection.listTools(neverAborted())).toEqual({ entries: [{ name: "a" }, 5, { name: "b" }] });
  });

  it("stops at a repeated page, at 64 pages and at 5,000 tools, keeping what it read", async () => {
    const connection = await start(`let mode = 0, page = 0; on["tools/list"] = (m) => {
      if (m.params.cursor === undefined) mode += 1;
      const tools = mode === 3 ? Array.from({ length: 3000 }, (_, i) => i) : [{ name: "t" }];
      send({ id: m.id, result: { tools, nextCursor: mode === 1 ? "same" : String(page++) } }); };`);
    const repeated = await connection.listTools(neverAborted());
    expect([repeated.entries.length, repeated.truncated]).toEqual([2, "the server repeats a page"]);
    const pages = await connection.listTools(neverAborted());
    expect([pages.entries.length, pages.truncated]).toEqual([64, "more than 64 pages"]);
    const tools = await connection.listTools(neverAborted());
    expect([tools.entries.length, tools.truncated]).toEqual([5000, "more than 5000 tools"]);
  });

  it("stops at its timeout, keeping what it read, if anything", async () => {
    const observed = observe();
    const connection = await start(
      `let lists = 0; on["tools/list"] = (m) => {
        if (m.params.cursor === undefined) lists += 1;
        if (m.params.cursor !== undefined || lists > 1) return console.error("not this one");
        send({ id: m.id, result: { tools: [{ name: "t" }], nextCursor: "2" } }); };`,
      observed,
    );
    const clocks = [new AbortController(), new AbortController()] as const;
    const listing = connection.listTools(clocks[0].signal);
    await eventually(() => expect(observed.logs).toContain("not this one"));
    clocks[0].abort();
    expect(await listing).toEqual({ entries: [{ name: "t" }], truncated: "the rest did not come in time" });
    const unlisted = connectionFailure(connection.listTools(clocks[1].signal));
    clocks[1].abort();
    expect((await unlisted).code).toBe("cancelled");
  });

  it("sends no request to a server without tools, and reports an answer without a list", async () => {
    const without = await start("info.capabilities = {};");
    expect(await without.listTools(neverAborted())).toEqual({ entries: [] });
    const odd = await start(`on["tools/list"] = (m) => send({ id: m.id, result: {} });`);
    expect((await connectionFailure(odd.listTools(neverAborted()))).message).toBe(
      'The server answered "tools/list" without a list of tools.',
    );
  });

  it("passes on tool changes and the server's log messages", async () => {
    const observed = observe();
    await start(
      `on["notifications/initialized"] = () => { send({ method: "notifications/tools/list_changed" });
        send({ method: "notifications/message", params: { level: "info", data: { a: "secret-value" } } });
        console.error("to stderr"); };`,
      observed,
      { TOKEN: "secret-value" },
    );
    await eventually(() => expect(observed.toolsChanged).toBe(1));
    await eventually(() => expect(observed.logs.toSorted()).toEqual(["to stderr", '{"a":"[redacted]"}']));
  });
});

describe("the end of a process", () => {
  it("interrupts calls at once and says how the process ended, without the values it was given", async () => {
    const observed = observe();
    const connection = await start(
      `on["tools/call"] = () => { console.error("out of cheese: " + process.env.TOKEN); process.exit(3); };`,
      observed,
      { TOKEN: "hunter2-hunter2" },
    );
    const call = connection.callTool(callOf("x"));
    const error = await connectionFailure(call.answer);
    await call.finished;
    expect(error.code).toBe("interrupted");
    expect(error.message).toBe("The server process exited with code 3. Its last output:\nout of cheese: [redacted]");
    expect(observed.closed).toEqual([error.message]);
    expect((await connectionFailure(connection.callTool(callOf("x")).answer)).code).toBe("unreachable");
    await connection.close();
    expect(observed.closed).toHaveLength(1);
  });

  it("notices the exit even though a grandchild holds the pipes, and ends the grandchild", async () => {
    const observed = observe();
    const pidFile = path.join(folder, "grandchild");
    const connection = await start(
      `import { spawn } from "node:child_process"; import { writeFileSync } from "node:fs";
      on["tools/call"] = () => {
        const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
        writeFileSync(process.env.PID_FILE, String(child.pid));
        process.kill(process.pid, "SIGKILL");
      };`,
      observed,
      { PID_FILE: pidFile },
    );
    const error = await connectionFailure(connection.callTool(callOf("x")).answer);
    expect(error.message).toBe("The server process was ended by SIGKILL.");
    const pid = Number(readFileSync(pidFile, "utf8"));
    await eventually(() => expect(isRunning(pid)).toBe(false));
  });

  it("closes a server that ignores every request to stop, with all it started", async () => {
    const pidFile = path.join(folder, "pids");
    const stubborn = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);`;
    const connection = await start(
      `import { spawn } from "node:child_process"; import { writeFileSync } from "node:fs";
      ${stubborn}
      const child = spawn(process.execPath, ["-e", ${JSON.stringify(stubborn)}], { stdio: "ignore" });
      child.on("spawn", () => writeFileSync(process.env.PID_FILE, process.pid + " " + child.pid));`,
      observe(),
      { PID_FILE: pidFile },
    );
    await eventually(() => expect(existsSync(pidFile)).toBe(true));
    const pending = connection.callTool(callOf("x"));
    const [first, second] = [connection.close(), connection.close()];
    expect((await connectionFailure(pending.answer)).code).toMatch(/interrupted|protocol-error/);
    await Promise.all([first, second]);
    for (const pid of readFileSync(pidFile, "utf8").split(" ")) {
      await eventually(() => expect(isRunning(Number(pid))).toBe(false));
    }
  });
});

describe("opening", () => {
  it("names a command that does not exist and a folder that does not exist", async () => {
    const missing = definitionOf({ transport: "stdio", command: "no-such-command-here", args: [], env: {} });
    const command = await connectionFailure(connector.open(missing, observe().options, neverAborted()));
    expect([command.code, command.retryable, command.message]).toEqual([
      "unreachable",
      false,
      'The command "no-such-command-here" was not found. Check its spelling, install it or give its full path.\n' +
        `Searched: ${process.env.PATH}`,
    ]);
    const cwd = path.join(folder, "gone");
    const launch = { transport: "stdio", command: process.execPath, args: [], env: {}, cwd } as const;
    const place = await connectionFailure(connector.open(definitionOf(launch), observe().options, neverAborted()));
    expect([place.code, place.message]).toEqual(["misconfigured", `The working directory "${cwd}" does not exist.`]);
  });

  it("refuses a transport that is not its own", async () => {
    const other = definitionOf({ transport: "http", url: "http://x", headers: {}, authentication: { type: "none" } });
    const error = await connectionFailure(connector.open(other, observe().options, neverAborted()));
    expect([error.code, error.message]).toEqual(["misconfigured", 'Cannot open "http" here; can open: stdio.']);
  });

  it("leaves nothing running if it is aborted while a server stays silent", async () => {
    const pidFile = path.join(folder, "pid");
    const mute = script(
      `import { writeFileSync } from "node:fs"; writeFileSync(process.env.PID_FILE, String(process.pid)); setInterval(() => {}, 1000);`,
      { PID_FILE: pidFile },
    );
    const controller = new AbortController();
    const opening = connector.open(mute, observe().options, controller.signal);
    await eventually(() => expect(existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "").toBe(true));
    controller.abort();
    expect((await connectionFailure(opening)).code).toBe("cancelled");
    expect(isRunning(Number(readFileSync(pidFile, "utf8")))).toBe(false);
  });

  it("says why a server that could not start ended", async () => {
    const broken = script(`console.error("missing API key"); process.exit(1);`);
    const observed = observe();
    const error = await connectionFailure(connector.open(broken, observed.options, neverAborted()));
    expect([error.code, error.message]).toEqual([
      "unreachable",
      "The server process exited with code 1. Its last output:\nmissing API key",
    ]);
    expect(observed.closed).toEqual([]);
  });

  it("restarts a server as a legacy one if the version probe ended it, and remembers that", async () => {
    const starts = path.join(folder, "starts");
    const touchy = script(
      `${LEGACY_SCRIPT} import { appendFileSync } from "node:fs"; appendFileSync(process.env.STARTS, "x");
      on["server/discover"] = () => process.exit(9);`,
      { STARTS: starts },
    );
    const fresh = createStdioConnector({ clientInfo, environment: process.env });
    for (const expected of ["xx", "xxx"]) {
      const connection = await fresh.open(touchy, observe().options, neverAborted());
      expect(connection.info.era).toBe("legacy");
      expect(readFileSync(starts, "utf8")).toBe(expected);
      await connection.close();
    }
  });

  it("takes a server that ignores the version probe for a legacy one", async () => {
    const connection = await start(`on["server/discover"] = () => {};`);
    expect(connection.info.era).toBe("legacy");
  });

  it("passes a short list of inherited variables and those of the definition", async () => {
    const ours = {
      HOME: "/home/somebody",
      LANG: "C",
      SECRET_OF_OURS: "no",
      PATH: process.env.PATH,
      SHELL: "() { :; }",
    };
    const narrow = createStdioConnector({ clientInfo, environment: ours });
    const source = `${LEGACY_SCRIPT} on["tools/call"] = (m) => send({ id: m.id, result: { structuredContent: process.env } });`;
    const connection = await narrow.open(script(source, { GIVEN: "yes" }), observe().options, neverAborted());
    open.push(connection);
    const { structuredContent } = await connection.callTool(callOf("env")).answer;
    expect(structuredContent).toEqual({ HOME: "/home/somebody", LANG: "C", PATH: process.env.PATH, GIVEN: "yes" });
  });
});
