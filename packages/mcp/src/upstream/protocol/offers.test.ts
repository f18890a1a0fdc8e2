import { createMcpHandler, type McpHttpHandler, McpServer } from "@modelcontextprotocol/server";
import type { Connection } from "@tacklebox/core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createStdioConnector } from "../stdio/stdio-connector.ts";
import {
  callOf,
  clientInfo,
  connectionFailure,
  definitionOf,
  neverAborted,
  observe,
  remote,
} from "../testing/definitions.ts";
import { eventually } from "../testing/eventually.ts";
import { createHttpFixture } from "../testing/http-fixture.ts";
import { everything, type HttpReferenceServer, startEverything } from "../testing/reference-servers.ts";
import {
  listen,
  type RequestHandler,
  sendJson,
  sendResult,
  sendStatus,
  serverInfo,
} from "../testing/scripted-server.ts";
import { type ServedHandler, serveHandler } from "../testing/serve-handler.ts";

const { connector, open, servers } = createHttpFixture({ afterEach, afterAll });
const stdio = createStdioConnector({ clientInfo, environment: process.env });

async function start(opening: Promise<Connection>): Promise<Connection> {
  const connection = await opening;
  open.push(connection);
  return connection;
}

describe.each(["stdio", "streamable-http", "sse"] as const)(
  "resources of the everything server over %s",
  (transport) => {
    let server: HttpReferenceServer | undefined;
    beforeAll(async () => {
      if (transport !== "stdio") server = await startEverything(transport === "sse" ? "sse" : "streamableHttp");
    });
    afterAll(() => server?.kill());

    it("announce their changes to subscribers", async () => {
      const observed = observe();
      const launch = { transport: "stdio", command: process.execPath, args: [everything], env: {} } as const;
      const connection = await start(
        server === undefined
          ? stdio.open(definitionOf(launch), observed.options, neverAborted())
          : connector.open(
              remote(transport === "stdio" ? "http" : transport, server.url),
              observed.options,
              neverAborted(),
            ),
      );
      const uri = "demo://resource/dynamic/text/1";
      await connection.subscribeResource(uri, neverAborted());
      await connection.callTool(callOf("toggle-subscriber-updates")).answer;
      await eventually(() => expect(observed.updated).toContain(uri));
    });
  },
);

describe("a legacy server", () => {
  /** Declares every capability; `lists` holds the answer to each method. */
  function offering(lists: Readonly<Record<string, object>>, sessionId: () => string = () => "s"): RequestHandler {
    const capabilities = { resources: { subscribe: true }, prompts: {}, completions: {} };
    return (received, response) => {
      const { method, headers, message } = received;
      if (method !== "POST") return sendStatus(response, 405);
      if (message.method === "initialize") {
        const initialized = { protocolVersion: "2025-11-25", capabilities, serverInfo };
        const reply = { jsonrpc: "2.0", id: message.id, result: initialized };
        return sendJson(response, reply, { "mcp-session-id": sessionId() });
      }
      if (headers["mcp-session-id"] !== undefined && headers["mcp-session-id"] !== sessionId()) {
        return sendStatus(response, 404);
      }
      if (message.id === undefined) return sendStatus(response, 202);
      const answer = lists[message.method ?? ""];
      if (answer !== undefined) return sendResult(response, received, answer);
      return sendJson(response, {
        jsonrpc: "2.0",
        id: message.id,
        error: { code: -32601, message: "Method not found" },
      });
    };
  }

  async function openLegacy(answer: RequestHandler, observed = observe()) {
    const server = await listen(answer);
    servers.push(server);
    const definition = { ...remote("streamable-http", server.url), protocol: "legacy" } as const;
    return { server, connection: await start(connector.open(definition, observed.options, neverAborted())), observed };
  }

  it("D.14 keeps its good entries if some are bad, and the bad ones are logged", async () => {
    const good = { uri: "a://b", name: "b", description: "B", mimeType: "text/plain", annotations: { priority: 1 } };
    const argument = { name: "city", description: "where", required: true };
    const { connection, observed } = await openLegacy(
      offering({
        "resources/list": { resources: [good, { uri: 7 }, "nonsense", { uri: "c://d" }] },
        "resources/templates/list": { resourceTemplates: [{ uriTemplate: "a://{x}", name: "x" }, {}] },
        "prompts/list": { prompts: [{ name: "p", arguments: [argument, { name: "q" }, 3] }, { name: null }] },
      }),
    );
    expect(await connection.listResources(neverAborted())).toEqual([
      { uri: "a://b", name: "b", description: "B", mimeType: "text/plain", raw: good },
      { uri: "c://d", name: "c://d", raw: { uri: "c://d" } },
    ]);
    expect(await connection.listResourceTemplates(neverAborted())).toMatchObject([
      { uriTemplate: "a://{x}", name: "x" },
    ]);
    expect(await connection.listPrompts(neverAborted())).toMatchObject([
      { name: "p", arguments: [argument, { name: "q", required: false }] },
    ]);
    expect(observed.logs).toEqual([
      "2 of its resources cannot be read and were left out.",
      "1 of its resource templates cannot be read and were left out.",
      "1 of its prompts cannot be read and were left out.",
    ]);
  });

  it("T1.4 has an empty list if it declares the capability but does not know the method", async () => {
    const { connection } = await openLegacy(offering({ "resources/list": { resources: [] } }));
    expect(await connection.listResourceTemplates(neverAborted())).toEqual([]);
    expect(await connection.listPrompts(neverAborted())).toEqual([]);
  });

  it("is read leniently, and refused if its answer cannot be used", async () => {
    const blob = { uri: "a://blob", blob: "AAE=", mimeType: "image/png" };
    const { connection, observed } = await openLegacy(
      offering({
        "resources/read": { contents: [{ text: "no address" }, blob, { uri: "a://empty" }] },
        "prompts/get": {
          description: "D",
          messages: [{ role: "user", content: { type: "text", text: "hi" } }, { content: "plain" }, 7],
        },
        "completion/complete": { completion: { values: ["one", 2], hasMore: true } },
        "resources/list": { resources: "many" },
      }),
    );
    expect(await connection.readResource("a://asked", neverAborted())).toEqual([
      { kind: "text", uri: "a://asked", text: "no address" },
      { kind: "bytes", uri: "a://blob", mimeType: "image/png", base64: "AAE=" },
    ]);
    expect(observed.logs).toEqual(["1 parts of a resource cannot be read and were left out."]);
    expect(await connection.getPrompt("p", {}, neverAborted())).toEqual({
      description: "D",
      messages: [
        { role: "user", content: { type: "text", text: "hi" } },
        { role: "user", content: { type: "text", text: "plain" } },
      ],
    });
    const target = { kind: "resource", uriTemplate: "a://{x}" } as const;
    const completion = await connection.complete({ target, argument: "x", typed: "o", known: {} }, neverAborted());
    expect(completion).toEqual({ values: ["one"], hasMore: true });
    const error = await connectionFailure(connection.listResources(neverAborted()));
    expect([error.code, error.message]).toEqual([
      "protocol-error",
      'The server answered "resources/list" without a list of resources.',
    ]);
  });

  it("is subscribed to again after it forgot the session", async () => {
    let session = "first";
    const answer = offering({ "resources/subscribe": {}, "resources/read": { contents: [] } }, () => session);
    const { connection, server, observed } = await openLegacy(answer);
    await connection.subscribeResource("a://b", neverAborted());
    session = "second";
    await connection.readResource("a://b", neverAborted());
    await eventually(() => expect(observed.updated).toEqual(["a://b"]));
    expect(observed.offersChanged).toEqual(["resources", "prompts"]);
    const subscribed = server.received.filter(({ message }) => message.method === "resources/subscribe");
    expect(subscribed.map(({ headers, message }) => [headers["mcp-session-id"], message.params?.uri])).toEqual([
      ["first", "a://b"],
      ["second", "a://b"],
    ]);
  });
});

describe("a modern server", () => {
  let handler: McpHttpHandler;
  let served: ServedHandler;
  const listens: unknown[] = [];

  beforeEach(async () => {
    listens.length = 0;
    handler = createMcpHandler(() => {
      const capabilities = { resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true } };
      const mcp = new McpServer({ name: "modern", version: "3" }, { capabilities });
      mcp.registerResource("note", "note://1/", {}, async (uri) => ({ contents: [{ uri: uri.href, text: "one" }] }));
      mcp.registerPrompt("hello", {}, () => ({
        messages: [{ role: "user", content: { type: "text", text: "hello" } }],
      }));
      return mcp;
    });
    served = await serveHandler(handler, (request) => {
      if (request.headers["mcp-method"] === "subscriptions/listen") listens.push(request);
    });
    return async () => {
      await Promise.all(open.splice(0).map((connection) => connection.close()));
      await served.close();
    };
  });

  it("lists, reads and fills in with the headers of its revision", async () => {
    const connection = await start(connector.open(remote("http", served.url), observe().options, neverAborted()));
    expect(connection.info.era).toBe("modern");
    const [note] = await connection.listResources(neverAborted());
    expect(await connection.readResource(note?.uri ?? "", neverAborted())).toMatchObject([
      { kind: "text", text: "one" },
    ]);
    const { messages } = await connection.getPrompt("hello", {}, neverAborted());
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "hello" } }]);
  });

  it("announces changes of lists", async () => {
    const observed = observe();
    await start(connector.open(remote("http", served.url), observed.options, neverAborted()));
    await eventually(() => {
      handler.notify.resourcesChanged();
      handler.notify.promptsChanged();
      expect(new Set(observed.offersChanged)).toEqual(new Set(["resources", "prompts"]));
    });
  });

  it("announces changes of resources until unsubscribed, and again after the stream broke", async () => {
    const observed = observe();
    const connection = await start(connector.open(remote("http", served.url), observed.options, neverAborted()));
    await connection.subscribeResource("note://1", neverAborted());
    handler.notify.resourceUpdated("note://2");
    handler.notify.resourceUpdated("note://1");
    await eventually(() => expect(observed.updated).toEqual(["note://1"]));

    const before = listens.length;
    served.server.closeAllConnections();
    // A gap in listening counts as a change.
    await eventually(() => expect(observed.updated).toEqual(["note://1", "note://1"]));
    expect(listens.length).toBeGreaterThan(before);

    await connection.unsubscribeResource("note://1", neverAborted());
    await connection.subscribeResource("note://3", neverAborted());
    handler.notify.resourceUpdated("note://1");
    handler.notify.resourceUpdated("note://3");
    await eventually(() => expect(observed.updated.at(-1)).toBe("note://3"));
    expect(observed.updated).toHaveLength(3);
  });

  it("is not subscribed to by a signal that is aborted", async () => {
    const connection = await start(connector.open(remote("http", served.url), observe().options, neverAborted()));
    expect((await connectionFailure(connection.subscribeResource("note://1", AbortSignal.abort()))).code).toBe(
      "cancelled",
    );
  });
});
