import type http from "node:http";
import { type Connection, type CustomTool, type ServerDefinition, systemClock, UNGOVERNED } from "@tacklebox/core";
import { type ConnectorTrial, connectorContract } from "@tacklebox/core/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFetchExchange } from "../upstream/http/fetch-exchange.ts";
import type { HttpExchange } from "../upstream/http/http-exchange.ts";
import { createNodeExchange } from "../upstream/http/node/node-exchange.ts";
import { callOf, connectionFailure, neverAborted, observe } from "../upstream/testing/definitions.ts";
import { eventually } from "../upstream/testing/eventually.ts";
import { freePort } from "../upstream/testing/free-port.ts";
import { listen, type ReceivedRequest, type ScriptedServer } from "../upstream/testing/scripted-server.ts";
import { createCustomConnector } from "./custom-connector.ts";

function toolAt(url: string, rest: Partial<CustomTool> = {}): CustomTool {
  const base = { name: "t", description: "d", inputSchema: { type: "object" }, headers: {} };
  return { ...base, url, authentication: { type: "none" }, ...rest };
}

function definitionOf(...tools: CustomTool[]): ServerDefinition {
  return { ...UNGOVERNED, scope: "agent", key: "custom", name: "custom", launch: { transport: "custom", tools } };
}

type Reply = (received: ReceivedRequest, response: http.ServerResponse) => void;

const nodeExchange = createNodeExchange();
afterAll(() => nodeExchange.close());

describe.each([
  ["node:http", nodeExchange],
  ["built-in fetch", createFetchExchange()],
] as const)("custom tools over %s", (_name, exchange: HttpExchange) => {
  let reply: Reply = (_, response) => response.end();
  let server: ScriptedServer;
  let base: string;
  const connections: Connection[] = [];
  beforeAll(async () => {
    server = await listen((received, response) => reply(received, response));
    base = new URL(server.url).origin;
  });
  afterAll(() => server.close());
  beforeEach(() => void server.received.splice(0));
  afterEach(() => Promise.all(connections.splice(0).map((connection) => connection.close())));

  async function open(...tools: CustomTool[]): Promise<Connection> {
    const connector = createCustomConnector({ exchange, clock: systemClock });
    const connection = await connector.open(definitionOf(...tools), observe().options, neverAborted());
    connections.push(connection);
    return connection;
  }

  async function callOnce(rest: Partial<CustomTool> = {}, path = "/t") {
    return (await open(toolAt(base + path, rest))).callTool(callOf("t")).answer;
  }

  const answering = (status: number, type: string | undefined, body: string | Buffer): Reply => {
    return (_, response) => response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);
  };

  describe("keeps the connector contract", () => {
    const trial = async (): Promise<ConnectorTrial> => {
      reply = (received, response) => response.end(`you said ${JSON.stringify(received.message)}`);
      const definition = definitionOf(toolAt(`${base}/echo`, { name: "echo" }));
      const working = { tool: "echo", arguments: { say: "ahoy" }, text: "ahoy" };
      const connector = createCustomConnector({ exchange });
      return { connector, definition, working, dead: definition, bare: definition };
    };
    // Opening contacts nothing, so a dead endpoint shows only when it is called.
    const cases = connectorContract(trial).filter(
      ({ name }) => name !== "rejects with a typed error if nothing answers",
    );
    for (const { name, run } of cases) it(name, run);
  });

  it("F-304 posts the arguments as JSON, with headers and credentials, to the whole address", async () => {
    reply = answering(200, "application/json", '{"ok":true}');
    const connection = await open(
      toolAt(`${base}/weather?unit=c`, {
        headers: { "X-Team": "blue", Accept: "application/json" },
        authentication: { type: "bearer", token: "secret-token" },
      }),
    );
    await connection.callTool(callOf("t", { arguments: { city: "Köln", days: 2 } })).answer;
    expect(server.received).toMatchObject([
      {
        method: "POST",
        path: "/weather?unit=c",
        message: { city: "Köln", days: 2 },
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          authorization: "Bearer secret-token",
          "x-team": "blue",
        },
      },
    ]);
  });

  it.each([
    ["a JSON object", "application/json; charset=utf-8", '{"a":1}', { structuredContent: { a: 1 }, text: '{"a":1}' }],
    [
      "JSON of another media type",
      "application/problem+json",
      '{"a":1}',
      { structuredContent: { a: 1 }, text: '{"a":1}' },
    ],
    ["an object without a content type", undefined, '{"a":1}', { structuredContent: { a: 1 }, text: '{"a":1}' }],
    ["a JSON list", "application/json", "[1]", { text: "[1]" }],
    ["broken JSON", "application/json", '{"a":', { text: '{"a":' }],
    ["plain text", "text/plain", '{"a":1}', { text: '{"a":1}' }],
    ["XML", "application/atom+xml", "<a/>", { text: "<a/>" }],
    ["nothing", "application/json", "", { text: "" }],
    ["an empty picture", "image/png", "", { text: "" }],
  ])("answers with %s", async (_what, type, body, { text, ...structured }) => {
    reply = answering(200, type, body);
    expect(await callOnce()).toEqual({ content: [{ type: "text", text }], isError: false, ...structured });
  });

  it("returns an empty result if the endpoint has no content", async () => {
    reply = (_, response) => response.writeHead(204).end();
    expect(await callOnce()).toEqual({ content: [{ type: "text", text: "" }], isError: false });
  });

  it("returns images, audio and other bytes as such", async () => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 256));
    const data = bytes.toString("base64");
    const blocks = [];
    for (const type of ["image/png", "audio/wav", "application/pdf"]) {
      reply = answering(200, type, bytes);
      blocks.push(...(await callOnce({}, "/t?key=hidden")).content);
    }
    const blob = { uri: `${base}/t`, mimeType: "application/pdf", blob: data };
    expect(blocks).toEqual([
      { type: "image", mimeType: "image/png", data },
      { type: "audio", mimeType: "audio/wav", data },
      { type: "resource", resource: blob },
    ]);
  });

  it("a refusal of the arguments is a result the model can read, with at most 2 KB of the body", async () => {
    reply = answering(422, "text/plain", `city is missing${" ".repeat(10)}${"x".repeat(5_000)}`);
    const result = await callOnce();
    const [block] = result.content;
    expect(result.isError).toBe(true);
    expect(block?.text).toMatch(/^HTTP 422: Unprocessable Entity\ncity is missing {10}x{100}/);
    expect(JSON.stringify(result).length).toBeLessThan(2_200);
  });

  it("redacts a secret in an error body even where the body is cut", async () => {
    reply = answering(500, "text/plain", `${"x".repeat(2_040)}${"sekrit-value".repeat(3)}`);
    const text = JSON.stringify(await callOnce({ headers: { "x-key": "sekrit-value" } }));
    expect(text).not.toContain("sekr");
  });

  it.each([
    [401, "Bearer"],
    [403, 'Bearer error="insufficient_scope"'],
  ])("HTTP %i with %s asks to sign in", async (status, challenge) => {
    reply = (_, response) => response.writeHead(status, { "www-authenticate": challenge }).end("no");
    expect(await connectionFailure(callOnce())).toMatchObject({ code: "sign-in-needed" });
  });

  it.each([429, 503])("HTTP %i with Retry-After makes the tools of that host wait, and no others", async (status) => {
    const other = await listen((_, response) => response.end("other"));
    try {
      reply = (_, response) => response.writeHead(status, { "retry-after": "120" }).end();
      const connection = await open(
        toolAt(`${base}/1`, { name: "one" }),
        toolAt(`${base}/2`, { name: "two" }),
        toolAt(other.url, { name: "other" }),
      );
      const call = (name: string) => connection.callTool(callOf(name)).answer;
      expect(await connectionFailure(call("one"))).toMatchObject({ code: "unreachable", retryAfterMs: 120_000 });
      const { host } = new URL(base);
      const error = await connectionFailure(call("two"));
      expect([error.code, error.message]).toEqual([
        "unreachable",
        expect.stringMatching(
          new RegExp(`^${host} is not asked now: it asked to be left alone until .*Retry-After: 120`),
        ),
      ]);
      expect(server.received).toHaveLength(1);
      expect(await call("other")).toMatchObject({ content: [{ text: "other" }] });
    } finally {
      await other.close();
    }
  });

  it("a host that nothing listens on is unreachable; one that hangs up has interrupted the call", async () => {
    const dead = await open(toolAt(`http://127.0.0.1:${await freePort()}/t`));
    expect(await connectionFailure(dead.callTool(callOf("t")).answer)).toMatchObject({ code: "unreachable" });
    reply = (_, response) => response.socket?.destroy();
    expect(await connectionFailure(callOnce())).toMatchObject({ code: "interrupted" });
  });

  it("an endless answer is refused before it fills the memory", async () => {
    const piece = Buffer.alloc(1024 * 1024, "x");
    reply = (_, response) => {
      const send = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on("drain", send).writeHead(200, { "content-type": "text/plain" });
      send();
    };
    expect(await connectionFailure(callOnce())).toMatchObject({ code: "oversize" });
  });

  it("T09 never sends credentials to another host, even if the endpoint redirects there", async () => {
    const elsewhere = await listen((_, response) => response.end("stolen"));
    try {
      reply = (_, response) => response.writeHead(307, { location: elsewhere.url }).end();
      const answered = callOnce({ authentication: { type: "bearer", token: "secret-token" } });
      await answered.catch(() => undefined);
      expect(elsewhere.received).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  it("is cancelled at once, and the request ends", async () => {
    let hungUp = false;
    reply = (_, response) => response.on("close", () => (hungUp = true));
    const stop = new AbortController();
    const connection = await open(toolAt(`${base}/t`));
    const flight = connection.callTool(callOf("t", { signal: stop.signal }));
    await eventually(() => expect(server.received).toHaveLength(1));
    stop.abort();
    expect(await connectionFailure(flight.answer)).toMatchObject({ code: "cancelled" });
    await flight.finished;
    await eventually(() => expect(hungUp).toBe(true));
  });

  it("closing ends what is in flight as interrupted", async () => {
    reply = () => undefined;
    const connection = await open(toolAt(`${base}/t`));
    const flight = connection.callTool(callOf("t"));
    const error = connectionFailure(flight.answer);
    await eventually(() => expect(server.received).toHaveLength(1));
    await connection.close();
    expect(await error).toMatchObject({ code: "interrupted" });
    await flight.finished;
  });
});

describe("custom tools over node:http", () => {
  it("follow a redirect within the origin, and say what to do about any other", async () => {
    const server = await listen((received, response) => {
      if (received.path === "/moved") return response.end(`${received.method} ${JSON.stringify(received.message)}`);
      const status = received.path === "/keeps" ? 307 : 302;
      return response.writeHead(status, { location: "/moved" }).end();
    });
    try {
      const { origin } = new URL(server.url);
      const connector = createCustomConnector({ exchange: nodeExchange });
      const definition = definitionOf(
        toolAt(`${origin}/keeps`, { name: "keeps" }),
        toolAt(`${origin}/drops`, { name: "drops" }),
      );
      const connection = await connector.open(definition, observe().options, neverAborted());
      const call = (name: string) => connection.callTool(callOf(name, { arguments: { a: 1 } })).answer;
      expect(await call("keeps")).toMatchObject({ content: [{ text: 'POST {"a":1}' }], isError: false });
      expect(await call("drops")).toMatchObject({
        content: [
          { text: expect.stringMatching(/^HTTP 302: Found\nThe endpoint redirects.*Configure the final address/) },
        ],
        isError: true,
      });
      await connection.close();
    } finally {
      await server.close();
    }
  });

  it("are refused for a server of another transport", async () => {
    const definition = { ...definitionOf(), launch: { transport: "local" } } as const;
    const work = createCustomConnector().open(definition, observe().options, neverAborted());
    expect(await connectionFailure(work)).toMatchObject({ code: "misconfigured" });
  });
});
