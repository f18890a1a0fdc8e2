import type http from "node:http";
import type { Connection, OpenOptions } from "@tacklebox/core";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { callOf, connectionFailure, neverAborted, observe, remote } from "../testing/definitions.ts";
import { eventually } from "../testing/eventually.ts";
import { createHttpFixture } from "../testing/http-fixture.ts";
import {
  legacyServer,
  type RequestHandler,
  sendEvent,
  sendJson,
  sendResult,
  sendStatus,
  startEvents,
} from "../testing/scripted-server.ts";

const { connector, serve, open } = createHttpFixture({ afterEach, afterAll });

async function start(answer: RequestHandler, options: OpenOptions = observe().options): Promise<Connection> {
  const server = await serve(answer);
  const connection = await connector.open(remote("streamable-http", server.url), options, neverAborted());
  open.push(connection);
  return connection;
}

/** Tracks the responses that are still open. */
function countOpen(responses: Set<http.ServerResponse>, response: http.ServerResponse): void {
  responses.add(response);
  response.on("close", () => responses.delete(response));
}

describe("calls that a legacy server does not answer", () => {
  it("leave nothing open once the connection is closed, 200 of them", async () => {
    const held = new Set<http.ServerResponse>();
    // From now on nothing is answered, not even cancellation notices.
    const legacy = legacyServer((_, response) => countOpen(held, response));
    const connection = await start((received, response) => {
      if (received.message.method === "notifications/cancelled") return countOpen(held, response);
      legacy(received, response);
    });
    const controllers = Array.from({ length: 200 }, () => new AbortController());
    const calls = controllers.map(({ signal }) => connection.callTool(callOf("x", { signal })));
    await eventually(() => expect(held.size).toBe(200));
    for (const controller of controllers) controller.abort();
    for (const call of calls) expect((await connectionFailure(call.answer)).code).toBe("cancelled");
    // The other cancellation notices wait for a free socket.
    await eventually(() => expect(held.size).toBe(256));
    await connection.close();
    await Promise.all(calls.map(({ finished }) => finished));
    // Sooner than the timeout of a cancellation notice.
    await eventually(() => expect(held.size).toBe(0));
  });

  it("are the only requests kept open for a late answer: an aborted list request is closed at once", async () => {
    const held = new Set<http.ServerResponse>();
    const legacy = legacyServer(() => {});
    const connection = await start((received, response) => {
      if (received.message.method === "tools/list") return countOpen(held, response);
      legacy(received, response);
    });
    const controller = new AbortController();
    const list = connection.listTools(controller.signal);
    await eventually(() => expect(held.size).toBe(1));
    controller.abort();
    expect((await connectionFailure(list)).code).toBe("cancelled");
    await eventually(() => expect(held.size).toBe(0));
  });

  it("are cancelled at the server, and the cancellation notice does not stay open either", async () => {
    let held: http.ServerResponse | undefined;
    const openNotices = new Set<http.ServerResponse>();
    const legacy = legacyServer((_, response) => {
      held = response;
    });
    const connection = await start((received, response) => {
      if (received.message.method !== "notifications/cancelled") return legacy(received, response);
      countOpen(openNotices, response);
      // A reply whose body trickles in and never ends.
      response.writeHead(202);
      response.write(".");
    });
    const controller = new AbortController();
    const call = connection.callTool(callOf("x", { signal: controller.signal }));
    await eventually(() => expect(held).toBeDefined());
    controller.abort();
    await connectionFailure(call.answer);
    await eventually(() => expect(openNotices.size).toBe(1));
    await eventually(() => expect(openNotices.size).toBe(0));
  });
});

describe("a stream that stays open after the answer", () => {
  it("is closed even though the server keeps sending, and the answer does not wait for that", async () => {
    const held = new Set<http.ServerResponse>();
    const connection = await start(
      legacyServer(({ message }, response) => {
        countOpen(held, response);
        startEvents(response);
        sendEvent(response, { jsonrpc: "2.0", id: message.id, result: { content: [] } });
      }),
    );
    const call = connection.callTool(callOf("x"));
    expect(await call.answer).toEqual({ content: [], isError: false });
    await call.finished;
    await eventually(() => expect(held.size).toBe(0));
  });
});

describe("a refusal whose body trickles in and never ends", () => {
  it("ends the call with its status", async () => {
    const held = new Set<http.ServerResponse>();
    const connection = await start(
      legacyServer((_, response) => {
        countOpen(held, response);
        response.writeHead(503, { "retry-after": "4" });
        response.write("b");
      }),
    );
    const call = connection.callTool(callOf("x"));
    const error = await connectionFailure(call.answer);
    expect([error.code, error.retryAfterMs]).toEqual(["unreachable", 4000]);
    await call.finished;
    await eventually(() => expect(held.size).toBe(0));
  });
});

describe("opening ends with its signal, and nothing stays open at a server that", () => {
  const drip = (response: http.ServerResponse): void => {
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  };
  const silent: (response: http.ServerResponse) => void = () => {};
  const cases: [string, "http" | "streamable-http" | "sse", (response: http.ServerResponse) => void][] = [
    ["accepts and never answers", "http", silent],
    ["accepts and never answers", "streamable-http", silent],
    ["accepts and never answers", "sse", silent],
    ["starts an event stream and sends nothing", "streamable-http", startEvents],
    ["starts an event stream and never names its endpoint", "sse", startEvents],
    [
      "trickles a JSON answer",
      "streamable-http",
      (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        drip(response);
      },
    ],
    [
      "trickles events without end",
      "sse",
      (response) => {
        startEvents(response);
        response.write("data: ");
        drip(response);
      },
    ],
    [
      "trickles a refusal",
      "http",
      (response) => {
        response.writeHead(500);
        drip(response);
      },
    ],
  ];

  it.each(cases)("%s (%s)", async (_name, transport, answer) => {
    const held = new Set<http.ServerResponse>();
    let asked = 0;
    const server = await serve((_, response) => {
      asked += 1;
      countOpen(held, response);
      answer(response);
    });
    const definition = { ...remote(transport, server.url), protocol: "legacy" } as const;
    const controller = new AbortController();
    const opening = connectionFailure(connector.open(definition, observe().options, controller.signal));
    await eventually(() => expect(asked).toBe(1));
    controller.abort(new DOMException("over", "TimeoutError"));
    const error = await opening;
    expect(error.code).toBe("unreachable");
    await eventually(() => expect(held.size).toBe(0));
  });

  it("names its endpoint and never answers there (sse)", async () => {
    const held = new Set<http.ServerResponse>();
    const server = await serve(({ method }, response) => {
      countOpen(held, response);
      if (method !== "GET") return;
      startEvents(response);
      response.write("event: endpoint\ndata: /message\n\n");
    });
    const controller = new AbortController();
    const opening = connectionFailure(connector.open(remote("sse", server.url), observe().options, controller.signal));
    await eventually(() => expect(held.size).toBe(2));
    controller.abort(new DOMException("over", "TimeoutError"));
    expect((await opening).message).toBe("The server did not answer in time.");
    await eventually(() => expect(held.size).toBe(0));
  });
});

describe("anything a server sends against the protocol is counted", () => {
  it.each<[string, RequestHandler, string, readonly string[]]>([
    [
      "an answer that is not JSON",
      (_, response) => sendStatus(response, 200, "{nonsense", { "content-type": "application/json" }),
      "protocol-error",
      ["unreadable"],
    ],
    [
      "an answer to a request that was never made",
      (_, response) => sendJson(response, { jsonrpc: "2.0", id: "call-99", result: {} }),
      "protocol-error",
      ["unknown-answer"],
    ],
    [
      "an answer whose id has another type",
      (_, response) => sendJson(response, { jsonrpc: "2.0", id: 1, result: {} }),
      "protocol-error",
      ["unknown-answer"],
    ],
    [
      "an answer that is too large",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(Buffer.alloc(17 * 1024 * 1024, " "));
      },
      "oversize",
      ["oversize"],
    ],
  ])("%s ends the call", async (_name, onCall, code, oddities) => {
    const observed = observe();
    const connection = await start(legacyServer(onCall), observed.options);
    expect((await connectionFailure(connection.callTool(callOf("x")).answer)).code).toBe(code);
    expect(observed.oddities).toEqual(oddities);
    expect(observed.closed).toEqual([]);
  });

  it("and the call goes on: garbage, an unknown answer, and the same answer twice", async () => {
    const observed = observe();
    const connection = await start(
      legacyServer(({ message }, response) => {
        startEvents(response);
        response.write("data: {nonsense\n\n");
        sendEvent(response, { jsonrpc: "2.0", id: "call-99", result: { content: ["not this"] } });
        sendEvent(response, { jsonrpc: "2.0", id: message.id, result: { content: [] } });
        sendEvent(response, { jsonrpc: "2.0", id: message.id, result: { content: ["nor this"] } });
        response.end();
      }),
      observed.options,
    );
    expect(await connection.callTool(callOf("x")).answer).toEqual({ content: [], isError: false });
    await eventually(() => expect(observed.oddities).toEqual(["unreadable", "unknown-answer", "late-answer"]));
  });

  it("and so is the answer to a cancelled call", async () => {
    const observed = observe();
    let held: (() => void) | undefined;
    const connection = await start(
      legacyServer((received, response) => {
        held = () => sendResult(response, received, { content: [] });
      }),
      observed.options,
    );
    const controller = new AbortController();
    const call = connection.callTool(callOf("x", { signal: controller.signal }));
    await eventually(() => expect(held).toBeDefined());
    controller.abort();
    held?.();
    await call.finished;
    expect(observed.oddities).toEqual(["late-answer"]);
  });
});
