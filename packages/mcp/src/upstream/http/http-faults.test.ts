import type http from "node:http";
import type { Connection, OpenOptions } from "@tacklebox/core";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { callOf, calm, failure, observe, remote } from "../testing/definitions.ts";
import { eventually } from "../testing/eventually.ts";
import { createHttpBench } from "../testing/http-bench.ts";
import { type Answer, event, json, legacyServer, refuse, result, startEvents } from "../testing/scripted-server.ts";

const { connector, serve, open } = createHttpBench({ afterEach, afterAll });

async function start(answer: Answer, options: OpenOptions = observe().options): Promise<Connection> {
  const server = await serve(answer);
  const connection = await connector.open(remote("streamable-http", server.url), options, calm());
  open.push(connection);
  return connection;
}

/** Keeps count of the requests an answer leaves open. */
function countOpen(responses: Set<http.ServerResponse>, response: http.ServerResponse): void {
  responses.add(response);
  response.on("close", () => responses.delete(response));
}

describe("calls that a legacy server does not answer", () => {
  it("leave nothing open once the connection is closed, 200 of them", async () => {
    const held = new Set<http.ServerResponse>();
    // Nothing is answered any more, not even that a call was cancelled.
    const legacy = legacyServer((_, response) => countOpen(held, response));
    const connection = await start((received, response) => {
      if (received.message.method === "notifications/cancelled") return countOpen(held, response);
      legacy(received, response);
    });
    const controllers = Array.from({ length: 200 }, () => new AbortController());
    const calls = controllers.map(({ signal }) => connection.callTool(callOf("x", { signal })));
    await eventually(() => expect(held.size).toBe(200));
    for (const controller of controllers) controller.abort();
    for (const call of calls) expect((await failure(call.answer)).code).toBe("cancelled");
    // The rest of what tells the server waits for a free socket.
    await eventually(() => expect(held.size).toBe(256));
    await connection.close();
    await Promise.all(calls.map(({ finished }) => finished));
    // Sooner than the time after which a request that only tells would give up by itself.
    await eventually(() => expect(held.size).toBe(0));
  });

  it("are the only requests kept for a late answer: a list given up on is closed at once", async () => {
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
    expect((await failure(list)).code).toBe("cancelled");
    await eventually(() => expect(held.size).toBe(0));
  });

  it("are told as cancelled, and the request that tells it does not stay open either", async () => {
    let held: http.ServerResponse | undefined;
    const telling = new Set<http.ServerResponse>();
    const legacy = legacyServer((_, response) => {
      held = response;
    });
    const connection = await start((received, response) => {
      if (received.message.method !== "notifications/cancelled") return legacy(received, response);
      countOpen(telling, response);
      // A reply whose body drips and never ends.
      response.writeHead(202);
      response.write(".");
    });
    const controller = new AbortController();
    const call = connection.callTool(callOf("x", { signal: controller.signal }));
    await eventually(() => expect(held).toBeDefined());
    controller.abort();
    await failure(call.answer);
    await eventually(() => expect(telling.size).toBe(1));
    await eventually(() => expect(telling.size).toBe(0));
  });
});

describe("a stream that stays open after the answer", () => {
  it("is closed although the server goes on, and the answer does not wait for that", async () => {
    const held = new Set<http.ServerResponse>();
    const connection = await start(
      legacyServer(({ message }, response) => {
        countOpen(held, response);
        startEvents(response);
        event(response, { jsonrpc: "2.0", id: message.id, result: { content: [] } });
      }),
    );
    const call = connection.callTool(callOf("x"));
    expect(await call.answer).toEqual({ content: [], isError: false });
    await call.finished;
    await eventually(() => expect(held.size).toBe(0));
  });
});

describe("a refusal whose body drips and never ends", () => {
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
    const error = await failure(call.answer);
    expect([error.code, error.retryAfterMs]).toEqual(["unreachable", 4000]);
    await call.finished;
    await eventually(() => expect(held.size).toBe(0));
  });
});

describe("opening is bounded by its signal, and nothing stays open at the server that", () => {
  const drip = (response: http.ServerResponse): void => {
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  };
  const silent: (response: http.ServerResponse) => void = () => {};
  const cases: [string, "http" | "streamable-http" | "sse", (response: http.ServerResponse) => void][] = [
    ["accepts and never answers", "http", silent],
    ["accepts and never answers", "streamable-http", silent],
    ["accepts and never answers", "sse", silent],
    ["starts an event stream and says nothing", "streamable-http", startEvents],
    ["starts an event stream and never names its endpoint", "sse", startEvents],
    [
      "drips a JSON answer",
      "streamable-http",
      (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        drip(response);
      },
    ],
    [
      "drips events without an end",
      "sse",
      (response) => {
        startEvents(response);
        response.write("data: ");
        drip(response);
      },
    ],
    [
      "drips a refusal",
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
    const opening = failure(connector.open(definition, observe().options, controller.signal));
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
    const opening = failure(connector.open(remote("sse", server.url), observe().options, controller.signal));
    await eventually(() => expect(held.size).toBe(2));
    controller.abort(new DOMException("over", "TimeoutError"));
    expect((await opening).message).toBe("The server did not answer in time.");
    await eventually(() => expect(held.size).toBe(0));
  });
});

describe("what a server sends that has no place in the protocol is counted", () => {
  it.each<[string, Answer, string, readonly string[]]>([
    [
      "an answer that is not JSON",
      (_, response) => refuse(response, 200, "{nonsense", { "content-type": "application/json" }),
      "protocol-error",
      ["unreadable"],
    ],
    [
      "an answer to something nobody asked",
      (_, response) => json(response, { jsonrpc: "2.0", id: "call-99", result: {} }),
      "protocol-error",
      ["unknown-answer"],
    ],
    [
      "an answer whose id has another type",
      (_, response) => json(response, { jsonrpc: "2.0", id: 1, result: {} }),
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
    expect((await failure(connection.callTool(callOf("x")).answer)).code).toBe(code);
    expect(observed.oddities).toEqual(oddities);
    expect(observed.closed).toEqual([]);
  });

  it("and the call goes on: nonsense, an unknown answer, and the same answer twice", async () => {
    const observed = observe();
    const connection = await start(
      legacyServer(({ message }, response) => {
        startEvents(response);
        response.write("data: {nonsense\n\n");
        event(response, { jsonrpc: "2.0", id: "call-99", result: { content: ["not this"] } });
        event(response, { jsonrpc: "2.0", id: message.id, result: { content: [] } });
        event(response, { jsonrpc: "2.0", id: message.id, result: { content: ["nor this"] } });
        response.end();
      }),
      observed.options,
    );
    expect(await connection.callTool(callOf("x")).answer).toEqual({ content: [], isError: false });
    await eventually(() => expect(observed.oddities).toEqual(["unreadable", "unknown-answer", "late-answer"]));
  });

  it("and so is the answer to a call that was given up", async () => {
    const observed = observe();
    let held: (() => void) | undefined;
    const connection = await start(
      legacyServer((received, response) => {
        held = () => result(response, received, { content: [] });
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
