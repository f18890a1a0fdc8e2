import type http from "node:http";
import type { Connection } from "@tacklebox/core";
import { afterEach, describe, expect, it } from "vitest";
import { callOf, clientInfo, connectionFailure, neverAborted, observe, remote } from "../testing/definitions.ts";
import { eventually } from "../testing/eventually.ts";
import {
  initializeResult,
  listen,
  type RequestHandler,
  type ScriptedServer,
  sendEvent,
  sendStatus,
  startEvents,
} from "../testing/scripted-server.ts";
import { createHttpConnector } from "./http-connector.ts";
import { createNodeExchange } from "./node/node-exchange.ts";

const connector = createHttpConnector({ exchange: createNodeExchange(), clientInfo });
const servers: ScriptedServer[] = [];
const open: Connection[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

interface SseServer extends ScriptedServer {
  /** The stream of the single client. */
  stream(): http.ServerResponse;
}

/**
 * A server of revision 2024-11-05. `onCall` answers the POST of `tools/call`; `onStream` writes the start of a new
 * stream.
 */
async function serve(
  onCall: (id: unknown, stream: http.ServerResponse, response: http.ServerResponse) => void,
  onStream = (stream: http.ServerResponse) => void stream.write("event: endpoint\ndata: /message?sessionId=s3cret\n\n"),
  isTaken: (message: { readonly id?: unknown }) => boolean = () => true,
): Promise<SseServer> {
  let stream: http.ServerResponse | undefined;
  const current = () => {
    if (stream === undefined) throw new Error("no stream yet");
    return stream;
  };
  const answer: RequestHandler = ({ method, path, message }, response) => {
    if (method === "GET") {
      stream = response;
      startEvents(response);
      return onStream(response);
    }
    if (!path.startsWith("/message")) return sendStatus(response, 404, "Cannot POST");
    if (!isTaken(message)) return;
    if (message.method === "tools/call") return onCall(message.id, current(), response);
    sendStatus(response, 202, "Accepted");
    if (message.method === "initialize")
      sendEvent(current(), { jsonrpc: "2.0", id: message.id, result: initializeResult });
  };
  const server = await listen(answer);
  servers.push(server);
  return { ...server, stream: current };
}

describe("the SSE transport", () => {
  it.each(["http", "sse"] as const)(
    "D.3 D.4 S1.27 is found through %s and signs in on the stream and the POSTs",
    async (transport) => {
      const server = await serve((id, stream, response) => {
        sendStatus(response, 202);
        sendEvent(stream, { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "ok" }] } });
      });
      const authentication = { type: "bearer", token: "t0ken-t0ken" } as const;
      const definition = remote(transport, `${server.url}/sse`, { authentication });
      const connection = await connector.open(definition, observe().options, neverAborted());
      open.push(connection);
      expect(connection.info).toMatchObject({ name: "scripted", era: "legacy", transport: "sse" });
      expect(await connection.callTool(callOf("x")).answer).toEqual({
        content: [{ type: "text", text: "ok" }],
        isError: false,
      });
      for (const { headers, path } of server.received) {
        expect(headers.authorization).toBe("Bearer t0ken-t0ken");
        expect(path).not.toContain("t0ken");
      }
    },
  );

  it("interrupts calls and reports the end once when the stream ends", async () => {
    const server = await serve((_id, stream, response) => {
      sendStatus(response, 202);
      stream.end();
    });
    const observed = observe();
    const connection = await connector.open(remote("sse", server.url), observed.options, neverAborted());
    open.push(connection);
    const call = connection.callTool(callOf("x"));
    const error = await connectionFailure(call.answer);
    await call.finished;
    expect([error.code, error.message]).toEqual(["interrupted", "The SSE stream ended."]);
    expect(observed.closed).toEqual(["The SSE stream ended."]);
    expect((await connectionFailure(connection.callTool(callOf("x")).answer)).code).toBe("unreachable");
    await connection.close();
    expect(observed.closed).toHaveLength(1);
  });

  it("F6 F10: ends when too many of our answers are not taken", async () => {
    const server = await serve(
      (_id, stream, response) => {
        sendStatus(response, 202);
        for (let count = 0; count < 1_100; count += 1)
          sendEvent(stream, { jsonrpc: "2.0", id: `answer-${count}`, method: "ping" });
      },
      undefined,
      ({ id }) => !String(id).startsWith("answer-"),
    );
    const observed = observe();
    const connection = await connector.open(remote("sse", server.url), observed.options, neverAborted());
    open.push(connection);
    const call = connection.callTool(callOf("x"));
    expect((await connectionFailure(call.answer)).code).toBe("interrupted");
    expect(observed.closed).toEqual(["The server does not read what it is sent, so its connection was closed."]);
  });

  it("F2 an answer or notification over 16 MiB ends no more than its own call", async () => {
    const padding = "x".repeat(17 * 1024 * 1024);
    const first: unknown[] = [];
    const server = await serve((id, stream, response) => {
      sendStatus(response, 202);
      first.push(id);
      if (first.length < 2) return;
      sendEvent(stream, { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: padding } });
      sendEvent(stream, { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: padding }] } });
      sendEvent(stream, { jsonrpc: "2.0", id: first[0], result: {} });
    });
    const observed = observe();
    const connection = await connector.open(remote("sse", server.url), observed.options, neverAborted());
    open.push(connection);
    const other = connection.callTool(callOf("x"));
    await eventually(() => expect(first).toHaveLength(1));
    const error = await connectionFailure(connection.callTool(callOf("x")).answer);
    expect([error.code, error.message]).toEqual([
      "oversize",
      "The server's answer is larger than 16 MiB; ask the tool for less.",
    ]);
    expect(await other.answer).toEqual({ content: [], isError: false });
    expect([observed.oddities, observed.closed]).toEqual([["oversize", "oversize"], []]);
    expect(observed.logs).toEqual(["A message over 16777216 bytes was dropped."]);
  });

  it("interrupts calls when the connection breaks", async () => {
    const server = await serve((_id, stream) => stream.destroy());
    const observed = observe();
    const connection = await connector.open(remote("sse", server.url), observed.options, neverAborted());
    open.push(connection);
    expect((await connectionFailure(connection.callTool(callOf("x")).answer)).code).toBe("interrupted");
    expect(observed.closed).toHaveLength(1);
  });

  it("S1.29 reports a refused POST and stays open; unparsable messages are logged and ignored", async () => {
    const server = await serve((id, stream, response) => {
      if (id === "call-1-0") return sendStatus(response, 503, "", { "retry-after": "7" });
      sendStatus(response, 202);
      stream.write("data: {nonsense\n\n");
      sendEvent(stream, { jsonrpc: "2.0", id, result: {} });
    });
    const observed = observe();
    const connection = await connector.open(remote("sse", server.url), observed.options, neverAborted());
    open.push(connection);
    const error = await connectionFailure(connection.callTool(callOf("x")).answer);
    expect([error.code, error.message]).toEqual(["unreachable", "HTTP 503: Service Unavailable (Retry-After: 7)"]);
    expect(await connection.callTool(callOf("x")).answer).toEqual({ content: [], isError: false });
    expect(observed.logs).toEqual(["Failed to parse SSE message"]);
  });

  it("S1.29 says that the stream could not be opened, and why", async () => {
    const refusing = await listen((_, response) => sendStatus(response, 401));
    servers.push(refusing);
    const refused = await connectionFailure(
      connector.open(remote("sse", refusing.url), observe().options, neverAborted()),
    );
    expect([refused.code, refused.message.split("\n")[0]]).toEqual([
      "sign-in-needed",
      "SSE connection failed: HTTP 401: Unauthorized",
    ]);

    const ending = await serve(
      () => {},
      (stream) => void stream.end(),
    );
    const ended = await connectionFailure(connector.open(remote("sse", ending.url), observe().options, neverAborted()));
    expect([ended.code, ended.message]).toEqual([
      "unreachable",
      "SSE connection failed: the stream ended before the server was ready.",
    ]);

    const gone = await listen(() => {});
    await gone.close();
    const absent = await connectionFailure(connector.open(remote("sse", gone.url), observe().options, neverAborted()));
    expect([absent.code, absent.message]).toEqual([
      "unreachable",
      `SSE connection failed: Cannot reach ${gone.url}/ (ECONNREFUSED): nothing is listening there. Check that the server is running, and the port.`,
    ]);
  });

  it("does not post to another origin", async () => {
    const server = await serve(
      () => {},
      (stream) => void stream.write("event: endpoint\ndata: http://127.0.0.1:1/elsewhere\n\n"),
    );
    const error = await connectionFailure(connector.open(remote("sse", server.url), observe().options, neverAborted()));
    expect([error.code, error.message]).toEqual([
      "protocol-error",
      `SSE connection failed: the server names an endpoint outside ${server.url}.`,
    ]);
  });

  it("ends opening with the signal if the server never names its endpoint, and closes the stream", async () => {
    const server = await serve(
      () => {},
      () => {},
    );
    const controller = new AbortController();
    const opening = connector.open(remote("sse", server.url), observe().options, controller.signal);
    await eventually(() => server.stream());
    controller.abort();
    expect((await connectionFailure(opening)).code).toBe("cancelled");
    await eventually(() => expect(server.stream().destroyed).toBe(true));
  });

  it("cannot speak the modern protocol", async () => {
    const definition = { ...remote("sse", "http://127.0.0.1/"), protocol: "modern" } as const;
    const error = await connectionFailure(connector.open(definition, observe().options, neverAborted()));
    expect([error.code, error.message]).toEqual([
      "misconfigured",
      'The "sse" transport cannot speak the modern protocol; use "streamable-http".',
    ]);
  });

  it("counts unreadable messages and answers that no request waits for", async () => {
    const server = await serve((id, stream, response) => {
      sendStatus(response, 202);
      stream.write("data: not JSON\n\n");
      for (const answered of ["call-2-0", "0", 0, id, id])
        sendEvent(stream, { jsonrpc: "2.0", id: answered, result: {} });
    });
    const observed = observe();
    const connection = await connector.open(remote("sse", server.url), observed.options, neverAborted());
    open.push(connection);
    expect(await connection.callTool(callOf("x")).answer).toEqual({ content: [], isError: false });
    const expected = ["unreadable", "unknown-answer", "unknown-answer", "late-answer", "late-answer"];
    await eventually(() => expect(observed.oddities).toEqual(expected));
  });
});
