import type { Connection } from "@tacklebox/core";
import { afterEach, describe, expect, it } from "vitest";
import {
  callOf,
  clientInfo,
  connectionFailure,
  LEGACY_SCRIPT,
  neverAborted,
  type Observed,
  observe,
  script,
} from "../testing/definitions.ts";
import { eventually } from "../testing/eventually.ts";
import { createStdioConnector } from "./stdio-connector.ts";

const connector = createStdioConnector({ clientInfo, environment: process.env });
const open: Connection[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
});

async function start(source: string): Promise<{ connection: Connection; observed: Observed }> {
  const observed = observe("legacy");
  const connection = await connector.open(script(LEGACY_SCRIPT + source), observed.options, neverAborted());
  open.push(connection);
  return { connection, observed };
}

const EMPTY = { content: [], isError: false };

describe("answers over the limit of 16 MiB", () => {
  it("fail their own call only, whichever end names it, and are counted", async () => {
    const { connection, observed } = await start(`const big = "x".repeat(17 * 1024 * 1024);
      on["tools/call"] = (m) => {
        const rest = '"jsonrpc":"2.0","id":' + JSON.stringify(m.id);
        if (m.params.name === "head") return process.stdout.write('{' + rest + ',"result":{"big":"' + big + '"}}\\n');
        if (m.params.name === "tail") return process.stdout.write('{"result":{"big":"' + big + '"},' + rest + '}\\n');
        send({ id: m.id, result: {} });
      };`);
    const calls = ["small", "head", "small", "tail", "small"].map((name) => connection.callTool(callOf(name)));
    const endings = await Promise.all(calls.map(({ answer }) => answer.catch((error: unknown) => error)));
    expect(endings).toMatchObject([EMPTY, { code: "oversize" }, EMPTY, { code: "oversize" }, EMPTY]);
    await Promise.all(calls.map(({ finished }) => finished));
    expect(await connection.callTool(callOf("small")).answer).toEqual(EMPTY);
    expect(observed.oddities).toEqual(["oversize", "oversize"]);
  });

  it("that are not answers are dropped with a log line, and the next message is read", async () => {
    const { connection, observed } = await start(`on["tools/call"] = (m) => {
      process.stdout.write("#".repeat(17 * 1024 * 1024) + "\\n"); send({ id: m.id, result: {} }); };`);
    expect(await connection.callTool(callOf("x")).answer).toEqual(EMPTY);
    expect([observed.oddities, observed.logs]).toEqual([["oversize"], ["A message over 16777216 bytes was dropped."]]);
  });
});

describe("a server that does not read", () => {
  it("F6 F10: is given up once too many of our answers wait for it", async () => {
    const { connection, observed } = await start(`on["tools/call"] = () => {
      process.stdin.pause();
      const id = "x".repeat(1024 * 1024 - 100);
      for (let sent = 0; sent < 80; sent += 1) send({ id: id + sent, method: "ping" });
    };`);
    const call = connection.callTool(callOf("x"));
    expect((await connectionFailure(call.answer)).code).toBe("interrupted");
    expect(observed.closed).toEqual(["The server does not read what it is sent, so its connection was closed."]);
  });
});

describe("output that is not a message", () => {
  it("is a log line, counted, and empty lines are neither", async () => {
    const { connection, observed } = await start(`on["tools/call"] = (m) => {
      console.log("Server is up\\n\\n  "); console.log('{"level":"info"}'); console.log('{"jsonrpc":"2.0","id":7}');
      send({ id: m.id, result: {} }); };`);
    expect(await connection.callTool(callOf("x")).answer).toEqual(EMPTY);
    expect(observed.logs).toEqual(["Server is up", '{"level":"info"}']);
    expect(observed.oddities).toEqual(["unreadable", "unreadable", "unreadable"]);
  });

  it.each(["working...", "xxx{", '{"half":', '{"half":"', '[{"a":1}] {"jsonrpc" ', "\u0007\u001b[2K"])(
    "does not hide the message that follows it without a line break: %j",
    async (garbage) => {
      const { connection, observed } = await start(`on["tools/call"] = (m) => {
        process.stdout.write(${JSON.stringify(garbage)}); send({ id: m.id, result: { structuredContent: { a: { "jsonrpc": 1 } } } }); };`);
      const answer = await connection.callTool(callOf("x")).answer;
      expect(answer.structuredContent).toEqual({ a: { jsonrpc: 1 } });
      expect(observed.oddities).toEqual([]);
    },
  );
});

describe("answers that no request waits for", () => {
  it("are counted as late if repeated, and as unknown if their id was never used", async () => {
    const { connection, observed } = await start(`on["tools/call"] = (m) => {
      for (const id of ["call-1-0", "call-7-0", "call-01-0", "call-x", "1", "0", 1, 99, null, "other"]) send({ id, result: { toolResult: id } });
      send({ id: "call-1-0", result: {} }); send({ id: 0, result: {} }); send({ id: m.id, error: { code: 1, message: "x" } });
    };`);
    expect(await connection.callTool(callOf("x")).answer).toEqual({
      content: [{ type: "text", text: "call-1-0" }],
      isError: false,
    });
    await eventually(() => expect(observed.oddities).toHaveLength(12));
    expect(observed.oddities.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => "unknown-answer"));
    // The last three: the call twice, and the handshake, which was number 0 of the SDK's own requests.
    expect(observed.oddities.slice(9)).toEqual(["late-answer", "late-answer", "late-answer"]);
  });

  it("are counted as late after the call was cancelled", async () => {
    const { connection, observed } = await start(`let waiting; on["tools/call"] = (m) => { waiting = m; };
      on["notifications/cancelled"] = (m) => { for (let i = 0; i < 2; i += 1) send({ id: m.params.requestId, result: {} }); };`);
    const controller = new AbortController();
    const call = connection.callTool(callOf("slow", { signal: controller.signal }));
    controller.abort();
    expect((await connectionFailure(call.answer)).code).toBe("cancelled");
    expect(await call.finished).toBe("answered");
    await eventually(() => expect(observed.oddities).toEqual(["late-answer", "late-answer"]));
  });

  it("say nothing about what became of the call if they are errors", async () => {
    const { connection } = await start(`on["tools/call"] = () => {};
      on["notifications/cancelled"] = (m) => send({ id: m.params.requestId, error: { code: -32800, message: "cancelled" } });`);
    const controller = new AbortController();
    const call = connection.callTool(callOf("slow", { signal: controller.signal }));
    controller.abort();
    expect(await call.finished).toBe("unknown");
  });

  it("fail the call they should have answered if they are empty", async () => {
    const { connection } = await start(`on["tools/call"] = (m) => send({ id: m.id });`);
    expect((await connectionFailure(connection.callTool(callOf("x")).answer)).message).toBe(
      "The server sent an answer with neither a result nor an error.",
    );
  });
});

describe("a server that writes to stderr without end", () => {
  it("is never blocked, even though it waits for every write", async () => {
    const { connection, observed } = await start(`import { writeSync } from "node:fs";
      on["tools/call"] = (m) => {
        const line = "y".repeat(99) + "\\n";
        for (let i = 0; i < 100_000; i += 1) writeSync(2, line);
        writeSync(2, "done\\n");
        send({ id: m.id, result: {} });
      };`);
    expect(await connection.callTool(callOf("x")).answer).toEqual(EMPTY);
    expect(observed.logs[0]).toBe("y".repeat(99));
    expect(observed.logs.length).toBeLessThan(50_000);
  });
});

describe("what a server wrote before opening failed", () => {
  const CHATTY = `for (let i = 1; i <= 7; i += 1) console.error("step " + i + " " + process.env.TOKEN);`;
  const lastSteps = [1, 2, 3, 4, 5, 6, 7].map((step) => `step ${step} [redacted]`).join("\n");

  it("is in the error when it does not answer in time", async () => {
    const mute = script(`${CHATTY} setInterval(() => {}, 1000);`, { TOKEN: "hunter2-hunter2" });
    const observed = observe();
    const controller = new AbortController();
    const opening = connectionFailure(connector.open(mute, observed.options, controller.signal));
    await eventually(() => expect(observed.logs).toContain("step 7 [redacted]"));
    controller.abort(new DOMException("too slow", "TimeoutError"));
    expect(await opening).toMatchObject({
      code: "unreachable",
      message: "The server did not answer in time.",
      ifLate: `Its last output:\n${lastSteps}`,
    });
  });

  it("is in the error when the handshake fails", async () => {
    const source = `${LEGACY_SCRIPT} on.initialize = (m) => { ${CHATTY}
      setTimeout(() => send({ id: m.id, error: { code: -32000, message: "no licence" } }), 200); };`;
    const opening = connector.open(
      script(source, { TOKEN: "hunter2-hunter2" }),
      observe("legacy").options,
      neverAborted(),
    );
    expect(await connectionFailure(opening)).toMatchObject({
      code: "protocol-error",
      ifLate: `Its last output:\n${lastSteps}`,
    });
  });

  it("is only in the message if the process ended", async () => {
    const broken = script(`${CHATTY} process.exit(1);`, { TOKEN: "hunter2-hunter2" });
    const error = await connectionFailure(connector.open(broken, observe().options, neverAborted()));
    expect([error.message, error.ifLate]).toEqual([
      `The server process exited with code 1. Its last output:\n${lastSteps}`,
      undefined,
    ]);
  });
});
