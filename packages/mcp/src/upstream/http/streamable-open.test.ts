import { afterAll, afterEach, describe, expect, it } from "vitest";
import { callOf, connectionFailure, neverAborted, observe, remote } from "../testing/definitions.ts";
import { eventually } from "../testing/eventually.ts";
import { createHttpFixture } from "../testing/http-fixture.ts";
import {
  initializeResult,
  legacyServer,
  listen,
  type RequestHandler,
  sendEvent,
  sendJson,
  sendResult,
  sendStatus,
  startEvents,
} from "../testing/scripted-server.ts";

const { connector, newConnector, serve, open } = createHttpFixture({ afterEach, afterAll });
const answered: RequestHandler = (received, response) =>
  sendResult(response, received, { content: [{ type: "text", text: "ok" }] });

describe("a server that does not read", () => {
  it("F6 F10: is given up once too many of our answers are not taken", async () => {
    const legacy = legacyServer((_received, response) => {
      startEvents(response);
      for (let count = 0; count < 1_100; count += 1)
        sendEvent(response, { jsonrpc: "2.0", id: `answer-${count}`, method: "ping" });
    });
    const server = await serve((received, response) => {
      if (!String(received.message.id).startsWith("answer-")) legacy(received, response);
    });
    const observed = observe();
    const definition = remote("streamable-http", server.url);
    const connection = await connector.open(definition, observed.options, neverAborted());
    open.push(connection);
    const call = connection.callTool(callOf("x"));
    const text = "The server does not read what it is sent, so its connection was closed.";
    await eventually(() => expect(observed.closed).toEqual([text]));
    await connection.close();
    expect((await connectionFailure(call.answer)).code).toBe("interrupted");
  });
});

describe("headers and authentication", () => {
  it("S1.26 S1.27 go with every request; authentication wins, and the protocol's own headers stay", async () => {
    const server = await serve((received, response) => {
      if (received.method !== "GET") return legacyServer(answered, () => "s1")(received, response);
      startEvents(response);
    });
    const headers = { "X-Team": "blue", authorization: "Basic nobody", Accept: "text/plain" };
    const authentication = { type: "bearer", token: "t0ken-t0ken" } as const;
    const definition = remote("streamable-http", `${server.url}/mcp?key=hidden`, { headers, authentication });
    const connection = await connector.open(definition, observe().options, neverAborted());
    await connection.callTool(callOf("x")).answer;
    await eventually(() => expect(server.received.some(({ method }) => method === "GET")).toBe(true));
    await connection.close();
    expect(new Set(server.received.map(({ method }) => method))).toEqual(new Set(["POST", "GET", "DELETE"]));
    for (const received of server.received) {
      expect(received.path).toBe("/mcp?key=hidden");
      expect(received.headers).toMatchObject({ "x-team": "blue", authorization: "Bearer t0ken-t0ken" });
      if (received.method !== "DELETE") expect(received.headers.accept).toContain("text/event-stream");
    }
  });

  it.each([
    [{ type: "api-key", key: "k3y", header: "X-Key" } as const, "x-key", "k3y"],
    [
      { type: "basic", username: "jürgen", password: "påss😀" } as const,
      "authorization",
      `Basic ${Buffer.from("jürgen:påss😀").toString("base64")}`,
    ],
  ])("S1.27 T1.12 encodes $type", async (authentication, header, value) => {
    const server = await serve(legacyServer(answered));
    const definition = remote("streamable-http", server.url, { authentication });
    open.push(await connector.open(definition, observe().options, neverAborted()));
    for (const received of server.received) expect(received.headers[header]).toBe(value);
  });

  it.each([
    [
      "http://user:pw@127.0.0.1/",
      {},
      "The server's address carries a user name or password; use authentication instead.",
    ],
    ["ftp://127.0.0.1/", {}, 'The server\'s address starts with "ftp:"; use http: or https:.'],
    ["nowhere", {}, "The server's address is not a valid URL."],
    ["http://127.0.0.1/", { "a b": "c" }, '"a b" is not a valid header name.'],
    ["http://127.0.0.1/", { a: "b\nc" }, 'The value of header "a" has characters that HTTP does not allow.'],
  ])("D.4 refuses %s with %j", async (url, headers, message) => {
    const error = await connectionFailure(
      connector.open(remote("http", url, { headers }), observe().options, neverAborted()),
    );
    expect([error.code, error.message]).toEqual(["misconfigured", message]);
  });
});

describe("opening", () => {
  it("D.3 an address that refuses both transports is reported by its first refusal; streamable-http does not try SSE", async () => {
    const server = await serve((_, response) => sendStatus(response, 404, "nothing here"));
    for (const transport of ["http", "streamable-http"] as const) {
      const error = await connectionFailure(
        connector.open(remote(transport, server.url), observe().options, neverAborted()),
      );
      const [status, meaning] = error.message.split("\n");
      expect([error.code, error.retryable, status]).toEqual(["protocol-error", false, "HTTP 404: Not Found"]);
      expect(meaning).toContain(`There is no MCP server at ${server.url}/. Check the path`);
    }
    expect(server.received.filter(({ method }) => method === "GET")).toHaveLength(1);
  });

  it.each([
    [401, "sign-in-needed", "HTTP 401: Unauthorized"],
    [403, "protocol-error", "HTTP 403: Forbidden"],
    [500, "unreachable", "HTTP 500: Internal Server Error"],
  ])("D.3 never tries SSE after %i", async (status, code, message) => {
    const server = await serve((_, response) => sendStatus(response, status));
    const error = await connectionFailure(
      connector.open(remote("http", server.url), observe().options, neverAborted()),
    );
    expect([error.code, error.message.split("\n")[0]]).toEqual([code, message]);
    expect(server.received.every(({ method }) => method === "POST")).toBe(true);
  });

  it("D.3 never tries SSE when the refusal is a JSON-RPC error", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "not today" } });
    const server = await serve((_, response) =>
      sendStatus(response, 400, body, { "content-type": "application/json" }),
    );
    const error = await connectionFailure(
      connector.open(remote("http", server.url), observe().options, neverAborted()),
    );
    expect([error.code, error.message]).toEqual([
      "protocol-error",
      `HTTP 400: Bad Request\nIt says: "not today". Check the address ${server.url}/, the headers and the transport.`,
    ]);
    expect(server.received.every(({ method }) => method === "POST")).toBe(true);
  });

  it("retries a server as a legacy one if the version probe breaks it", async () => {
    const legacy = legacyServer(answered);
    const server = await serve((received, response) =>
      received.message.method === "server/discover" ? sendStatus(response, 500) : legacy(received, response),
    );
    const fresh = newConnector();
    for (const discovers of [1, 1]) {
      open.push(await fresh.open(remote("streamable-http", server.url), observe().options, neverAborted()));
      const asked = server.received.filter(({ message }) => message.method === "server/discover");
      expect(asked).toHaveLength(discovers);
    }
  });

  it("does not wait for an answer on a stream that has ended", async () => {
    const server = await serve((_, response) => {
      startEvents(response);
      response.end();
    });
    const error = await connectionFailure(
      connector.open(remote("streamable-http", server.url), observe().options, neverAborted()),
    );
    expect([error.code, error.message]).toEqual([
      "unreachable",
      "The server ended the response stream before it answered.",
    ]);
  });

  it("says that the protocol does not fit if the modern one is required of a legacy server", async () => {
    const server = await serve(legacyServer(answered));
    const definition = { ...remote("http", server.url), protocol: "modern" } as const;
    const error = await connectionFailure(connector.open(definition, observe().options, neverAborted()));
    expect(error.message).toBe(
      'The server does not speak the modern protocol; set its protocol to "auto" or "legacy".',
    );
  });

  it("says that a revision is unknown", async () => {
    const server = await serve(({ message }, response) =>
      sendJson(response, {
        jsonrpc: "2.0",
        id: message.id,
        result: { ...initializeResult, protocolVersion: "1999-01-01" },
      }),
    );
    const definition = { ...remote("http", server.url), protocol: "legacy" } as const;
    const error = await connectionFailure(connector.open(definition, observe().options, neverAborted()));
    expect(error.code).toBe("protocol-error");
    expect(error.message).toBe(
      "The server could not be understood: Server's protocol version is not supported: 1999-01-01",
    );
  });

  it("ends with its signal", async () => {
    const server = await serve(() => {});
    const definition = remote("http", server.url);
    const late = await connectionFailure(connector.open(definition, observe().options, AbortSignal.timeout(50)));
    expect([late.code, late.message]).toEqual(["unreachable", "The server did not answer in time."]);
    const stopped = await connectionFailure(connector.open(definition, observe().options, AbortSignal.abort()));
    expect(stopped.code).toBe("cancelled");
  });

  it("does not show the query of an address that cannot be reached", async () => {
    const server = await listen(() => {});
    await server.close();
    const error = await connectionFailure(
      connector.open(remote("http", `${server.url}/?key=k3y`), observe().options, neverAborted()),
    );
    expect([error.code, error.message]).toEqual([
      "unreachable",
      `Cannot reach ${server.url}/ (ECONNREFUSED): nothing is listening there. Check that the server is running, and the port.`,
    ]);
  });
});

describe("a server that goes away", () => {
  it("is reported once, and the call it refused was never sent", async () => {
    const server = await serve(legacyServer(answered));
    const observed = observe();
    const connection = await connector.open(remote("http", server.url), observed.options, neverAborted());
    open.push(connection);
    await server.close();
    const error = await connectionFailure(connection.callTool(callOf("x")).answer);
    expect(error.code).toBe("unreachable");
    await connectionFailure(connection.callTool(callOf("x")).answer);
    expect(observed.closed).toEqual([error.message]);
  });
});
