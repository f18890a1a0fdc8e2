import type http from "node:http";
import type { Connection } from "@tacklebox/core";
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
async function start(answer: RequestHandler, observed = observe()): Promise<Connection> {
  const server = await serve(answer);
  const connection = await connector.open(remote("streamable-http", server.url), observed.options, neverAborted());
  open.push(connection);
  return connection;
}

const answered: RequestHandler = (received, response) =>
  sendResult(response, received, { content: [{ type: "text", text: "ok" }] });

describe("one call", () => {
  it("reads a JSON reply and lists entries as they were sent", async () => {
    const connection = await start(legacyServer(answered));
    expect(connection.info).toEqual({
      name: "scripted",
      version: "9.9.9",
      protocolVersion: "2025-11-25",
      era: "legacy",
      transport: "streamable-http",
      capabilities: { tools: {} },
    });
    expect(await connection.listTools(neverAborted())).toEqual({ entries: [{ name: "one" }, "broken"] });
    expect(await connection.callTool(callOf("x")).answer).toEqual({
      content: [{ type: "text", text: "ok" }],
      isError: false,
    });
  });

  it("reads an event stream: progress goes to the call, other messages to the SDK, unreadable ones to the log", async () => {
    const observed = observe();
    const connection = await start(
      legacyServer(({ message }, response) => {
        startEvents(response);
        const progressToken = message.id;
        sendEvent(response, {
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken, progress: 1 },
        });
        sendEvent(response, { jsonrpc: "2.0", method: "notifications/tools/list_changed" });
        response.write(": a comment\n\ndata: {nonsense\n\n");
        sendEvent(response, { jsonrpc: "2.0", id: message.id, result: { content: [] } });
        response.end();
      }),
      observed,
    );
    const seen: unknown[] = [];
    const call = connection.callTool(callOf("x", { onProgress: (progress) => seen.push(progress) }));
    expect(await call.answer).toEqual({ content: [], isError: false });
    expect(seen).toEqual([{ progress: 1 }]);
    expect(observed.logs).toEqual(["Failed to parse SSE message"]);
    await eventually(() => expect(observed.toolsChanged).toBe(1));
  });

  it("answers the server's own questions while a call runs", async () => {
    let asker: http.ServerResponse | undefined;
    let callId: string | number | undefined;
    const legacy = legacyServer(({ message }, response) => {
      asker = response;
      callId = message.id;
      startEvents(response);
      sendEvent(response, { jsonrpc: "2.0", id: 77, method: "ping" });
    });
    const connection = await start((received, response) => {
      if (received.message.id !== 77) return legacy(received, response);
      sendStatus(response, 202);
      if (asker !== undefined) sendEvent(asker, { jsonrpc: "2.0", id: callId, result: {} });
      asker?.end();
    });
    expect(await connection.callTool(callOf("x")).answer).toEqual({ content: [], isError: false });
  });

  it.each<[string, RequestHandler, string, string]>([
    [
      "a JSON-RPC error",
      ({ message }, response) =>
        sendJson(response, { jsonrpc: "2.0", id: message.id, error: { code: -5, message: "no" } }),
      "protocol-error",
      "MCP Error -5: no",
    ],
    ["401", (_, response) => sendStatus(response, 401), "sign-in-needed", "HTTP 401: Unauthorized"],
    ["403", (_, response) => sendStatus(response, 403), "protocol-error", "HTTP 403: Forbidden"],
    ["500", (_, response) => sendStatus(response, 500, "stack"), "protocol-error", "HTTP 500: Internal Server Error"],
    ["502", (_, response) => sendStatus(response, 502), "interrupted", "HTTP 502: Bad Gateway"],
    [
      "429",
      (_, response) => sendStatus(response, 429, "", { "retry-after": "30" }),
      "unreachable",
      "HTTP 429: Too Many Requests (Retry-After: 30)",
    ],
    ["503", (_, response) => sendStatus(response, 503), "unreachable", "HTTP 503: Service Unavailable"],
    [
      "a stream that ends early",
      (_, response) => {
        startEvents(response);
        response.end();
      },
      "interrupted",
      "The server ended the response stream before it answered.",
    ],
    [
      "an answer to something else",
      (_, response) => sendJson(response, { jsonrpc: "2.0", id: "other", result: {} }),
      "protocol-error",
      "The server's answer does not belong to the request.",
    ],
    [
      "another content type",
      (_, response) => sendStatus(response, 200, "<html>", { "content-type": "text/html" }),
      "protocol-error",
      'The server answered with content type "text/html" instead of JSON or an event stream.',
    ],
    [
      "an answer without result or error",
      ({ message }, response) => sendJson(response, { jsonrpc: "2.0", id: message.id, error: {} }),
      "protocol-error",
      "The server sent an answer with neither a result nor an error.",
    ],
    [
      "a request for input",
      (received, response) => sendResult(response, received, { resultType: "input_required" }),
      "protocol-error",
      "The server asks for input during the call, which nobody can give here.",
    ],
    [
      "a task",
      (received, response) => sendResult(response, received, { resultType: "task" }),
      "protocol-error",
      "The server turned the call into a background task, which cannot be followed here.",
    ],
  ])("S1.29 reports %s", async (_name, onCall, code, message) => {
    const connection = await start(legacyServer(onCall));
    const call = connection.callTool(callOf("x"));
    const error = await connectionFailure(call.answer);
    expect([error.code, error.message.split("\n")[0]]).toEqual([code, message]);
    await call.finished;
  });

  it("is interrupted at once when the connection breaks in the middle", async () => {
    const connection = await start(
      legacyServer((_, response) => {
        startEvents(response);
        response.write("data: {", () => response.destroy());
      }),
    );
    expect((await connectionFailure(connection.callTool(callOf("x")).answer)).code).toBe("interrupted");
  });

  it("refuses an answer over 16 MiB, as JSON and as an event", async () => {
    const chunk = "x".repeat(1024 * 1024);
    const connection = await start(
      legacyServer(({ message }, response) => {
        if (message.params?.name === "json") response.writeHead(200, { "content-type": "application/json" });
        else startEvents(response);
        response.write('data: "');
        for (let i = 0; i < 17; i += 1) response.write(chunk);
        response.end();
      }),
    );
    for (const name of ["json", "event"]) {
      expect((await connectionFailure(connection.callTool(callOf(name)).answer)).code).toBe("oversize");
    }
  });

  it("resumes a stream if the server announced that it would end it early", async () => {
    const legacy = legacyServer(({ message }, response) => {
      startEvents(response);
      response.end(`id: ${message.id}\nretry: 10\ndata:\n\n`);
    });
    const connection = await start((received, response) => {
      const resumed = received.headers["last-event-id"];
      if (received.method !== "GET" || resumed === undefined) return legacy(received, response);
      startEvents(response);
      sendEvent(response, { jsonrpc: "2.0", id: resumed, result: { content: [] } });
      response.end();
    });
    expect(await connection.callTool(callOf("x")).answer).toEqual({ content: [], isError: false });
  });
});

describe("cancelling on a legacy server", () => {
  it("rejects at once, notifies the server, and finishes with the late answer", async () => {
    let held: http.ServerResponse | undefined;
    const legacy = legacyServer((_, response) => {
      held = response;
    });
    const cancellations: unknown[] = [];
    const connection = await start((received, response) => {
      const { message } = received;
      if (message.method !== "notifications/cancelled") return legacy(received, response);
      cancellations.push(message.params);
      sendStatus(response, 202);
      if (held !== undefined) sendJson(held, { jsonrpc: "2.0", id: "call-1", result: {} });
    });
    const controller = new AbortController();
    const call = connection.callTool(callOf("x", { signal: controller.signal }));
    await eventually(() => expect(held).toBeDefined());
    controller.abort();
    expect((await connectionFailure(call.answer)).code).toBe("cancelled");
    await call.finished;
    expect(cancellations).toEqual([{ requestId: "call-1", reason: "The caller cancelled the call." }]);
  });

  it("finishes when the connection is closed if the server never answers", async () => {
    const connection = await start(legacyServer(() => {}));
    const controller = new AbortController();
    const call = connection.callTool(callOf("x", { signal: controller.signal }));
    controller.abort();
    await connectionFailure(call.answer);
    await connection.close();
    await call.finished;
    const late = await connectionFailure(connection.callTool(callOf("x")).answer);
    expect([late.code, late.message]).toEqual(["unreachable", "The connection was closed before the server answered."]);
  });
});

describe("a session the server forgot (D.7)", () => {
  it.each([404, 400])("is renewed once on %i and the refused request is sent again", async (status) => {
    let session = 0;
    let forgotten = false;
    const ran: unknown[] = [];
    const legacy = legacyServer(
      (received, response) => {
        ran.push(received.headers["mcp-session-id"]);
        answered(received, response);
      },
      () => `s${++session}`,
    );
    const observed = observe();
    const connection = await start((received, response) => {
      const stale = forgotten && received.headers["mcp-session-id"] === "s1";
      if (stale && received.method === "POST") return sendStatus(response, status, "session not found");
      legacy(received, response);
    }, observed);
    await connection.callTool(callOf("x")).answer;
    forgotten = true;
    await Promise.all([connection.callTool(callOf("x")).answer, connection.listTools(neverAborted())]);
    expect(ran).toEqual(["s1", "s2"]);
    expect(observed.toolsChanged).toBe(1);
    expect(observed.closed).toEqual([]);
  });

  it("is not assumed if the server says that the method does not exist", async () => {
    const body = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no method" } });
    let sessions = 0;
    const connection = await start(
      legacyServer(
        ({ message }, response) => sendStatus(response, 404, body(message.id), { "content-type": "application/json" }),
        () => `s${++sessions}`,
      ),
    );
    const error = await connectionFailure(connection.callTool(callOf("x")).answer);
    expect([error.code, error.message, sessions]).toEqual(["protocol-error", "MCP Error -32601: no method", 1]);
  });

  it("ends the connection when it cannot be renewed", async () => {
    let sessions = 0;
    const legacy = legacyServer(
      (_, response) => sendStatus(response, 404),
      () => "s",
    );
    const observed = observe();
    const connection = await start((received, response) => {
      if (received.message.method === "initialize" && ++sessions > 1) return sendStatus(response, 500);
      legacy(received, response);
    }, observed);
    const error = await connectionFailure(connection.callTool(callOf("x")).answer);
    const failed =
      "HTTP 500: Internal Server Error\nThe server itself failed. Its own log may say why; ask whoever runs it.";
    expect([error.code, error.message]).toEqual(["unreachable", failed]);
    expect(observed.closed).toEqual([`The session was lost and could not be renewed: ${failed}`]);
  });

  it("is ended with DELETE when we close", async () => {
    const server = await serve(legacyServer(answered, () => "s1"));
    const connection = await connector.open(remote("http", server.url), observe().options, neverAborted());
    await connection.close();
    const last = server.received.find(({ method }) => method === "DELETE");
    expect(last?.headers["mcp-session-id"]).toBe("s1");
  });

  it("is ended with DELETE if opening is aborted before it is ready", async () => {
    const stop = new AbortController();
    const legacy = legacyServer(answered, () => "s1");
    const server = await serve((received, response) => {
      // The answer to `initialize` has arrived; this one never does.
      if (received.message.method === "notifications/initialized") return stop.abort();
      legacy(received, response);
    });
    await expect(connector.open(remote("http", server.url), observe().options, stop.signal)).rejects.toThrow();
    expect(server.received.find(({ method }) => method === "DELETE")?.headers).toMatchObject({
      "mcp-session-id": "s1",
      "mcp-protocol-version": expect.any(String),
    });
  });
});
