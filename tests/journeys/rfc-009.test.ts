import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { createEngine, createKnownSecrets, createValidator, systemClock, webHasher } from "@tacklebox/core";
import {
  createMCPClientService,
  MCPClientError,
  type MCPServerConfig,
  MCPServerConfigSchema,
  type MCPToolCall,
} from "@tacklebox/core/rfc-009";
import {
  createMemoryServerRecords,
  createMemoryStore,
  createRecordingLogger,
  testSettings,
  waitUntil,
} from "@tacklebox/core/testing";
import { createHttpConnector } from "@tacklebox/mcp";
import { createNodeExchange, createStdioConnector } from "@tacklebox/mcp/node";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { releaseAfterwards } from "../support/release.ts";
import { everythingPath, sequentialThinkingPath, startEverything } from "../support/servers.ts";

const clientInfo = { name: "gpt-platform", version: "1.0.0" };
const settings = { retryAttempts: 0, timeout: 120_000 };

/** Starts the service with the real engine and the real connectors, in this process. */
function startService() {
  const exchange = createNodeExchange();
  const logger = createRecordingLogger();
  const host = createEngine(
    { toolbox: testSettings({ collisions: "qualify" }), servers: [] },
    {
      connectors: [
        createHttpConnector({ clientInfo, exchange }),
        createStdioConnector({ clientInfo, environment: process.env }),
      ],
      store: createMemoryStore(),
      validator: createValidator({ clock: systemClock }),
      hasher: webHasher,
      metrics: { toolUsed: () => undefined, callEnded: () => undefined },
      clock: systemClock,
      logger,
      knownSecrets: createKnownSecrets(),
      newId: randomUUID,
    },
  );
  releaseAfterwards(async () => {
    await host.stop(0);
    exchange.close();
  });
  const service = createMCPClientService({
    engine: host.engine,
    records: createMemoryServerRecords(),
    newId: randomUUID,
    now: Date.now,
    approvalMode: "auto",
  });
  const statuses: string[] = [];
  const calls: MCPToolCall[] = [];
  service.onConnectionChange((_id, status) => void statuses.push(status));
  service.onToolCall((call) => void calls.push(call));
  return { service, logger, statuses, calls };
}

async function failure(work: Promise<unknown>): Promise<MCPClientError> {
  const error: unknown = await work.then(
    () => new Error("It should have been refused"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof MCPClientError)) throw error;
  return error;
}

const Message = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
});
type Message = z.infer<typeof Message>;

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly message: Message;
}

type Answer = (received: Received, response: ServerResponse) => void;

/** Starts a server that records every request and answers it with `answer`. */
async function record(answer: Answer) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const message = body === "" ? {} : Message.parse(JSON.parse(body));
      const one = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, message };
      received.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  releaseAfterwards(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return { url: `http://127.0.0.1:${address.port}/mcp`, received };
}

const initialized = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "recorder", version: "1.0.0" },
};
const tools = [{ name: "one", inputSchema: { type: "object" } }];

/** Returns the reply of a server with one tool to any message but a call. */
function replyTo({ id, method }: Message): object {
  if (method === "initialize") return { jsonrpc: "2.0", id, result: initialized };
  if (method === "tools/list") return { jsonrpc: "2.0", id, result: { tools } };
  return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
}

/** Answers like a Streamable HTTP server, in JSON; `onCall` answers calls. */
function streamable(onCall: Answer): Answer {
  return (received, response) => {
    const { method, message } = received;
    if (method !== "POST") return void response.writeHead(405).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === "tools/call") return onCall(received, response);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(replyTo(message)));
  };
}

/** Answers like an HTTP+SSE server: replies are sent on the stream, and calls get none. */
function eventStream(): Answer {
  let stream: ServerResponse | undefined;
  return ({ method, message }, response) => {
    if (method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write("event: endpoint\ndata: /post\n\nevent: message\ndata: {broken\n\n");
      return;
    }
    response.writeHead(202).end();
    if (message.id === undefined || message.method === "tools/call") return;
    stream?.write(`event: message\ndata: ${JSON.stringify(replyTo(message))}\n\n`);
  };
}

const okay: Answer = ({ message }, response) => {
  const result = { content: [{ type: "text", text: "done" }] };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
};

describe("RFC-009 with the reference server", () => {
  it.each([
    ["http", "streamableHttp"],
    ["sse", "sse"],
  ] as const)("S1.46 over %s: add, connect, discover, call, read, disconnect", async (transport, mode) => {
    const { url } = await startEverything(mode);
    await expectEverything({ transport, url });
  });

  it("S1.3 S1.55 over stdio, which is not a browser's", async () => {
    await expectEverything({ transport: "stdio", command: process.execPath, args: [everythingPath] });
  });

  async function expectEverything(launch: Pick<MCPServerConfig, "transport" | "url" | "command" | "args">) {
    const { service, statuses, calls } = startService();
    const { id } = await service.addServer({ name: "Everything", ...settings, ...launch });
    const capabilities = await service.connect(id);
    expect(capabilities.tools.map(({ name }) => name)).toContain("echo");
    expect(capabilities.resources.length).toBeGreaterThan(0);
    expect(capabilities.prompts.length).toBeGreaterThan(0);
    expect(await service.discoverTools(id)).toEqual(capabilities.tools);

    expect(await service.callTool(id, "echo", { message: "hello" })).toEqual([{ type: "text", text: "Echo: hello" }]);
    await waitUntil(() => calls.length === 3);
    expect(calls.map(({ serverId, status }) => [serverId, status])).toEqual([
      [id, "pending"],
      [id, "running"],
      [id, "success"],
    ]);
    const [resource] = await service.listResources(id);
    const read = await service.readResource(id, resource?.uri ?? "");
    expect(read.content.length).toBeGreaterThan(0);

    await service.disconnect(id);
    expect((await failure(service.callTool(id, "echo", { message: "late" }))).message).toBe("Not connected to server");
    expect(statuses).toEqual(["connecting", "connected", "disconnected"]);
    const [saved] = await service.listServers();
    expect(MCPServerConfigSchema.parse(saved).lastConnectedAt).toBeDefined();
  }

  it("T1.4 T1.5 a server without resources and with lists of types connects", async () => {
    const { service } = startService();
    const launch = { command: process.execPath, args: [sequentialThinkingPath] };
    const { id } = await service.addServer({ name: "Thinking", transport: "stdio", ...settings, ...launch });
    const { tools: found, resources } = await service.connect(id);
    expect([found.length, resources]).toEqual([1, []]);
    expect(JSON.stringify(found)).toContain('"minimum"');
  });

  it("T1.14 an edited server is connected again", async () => {
    const [first, second] = await Promise.all([record(streamable(okay)), record(streamable(okay))]);
    const { service, statuses } = startService();
    const { id } = await service.addServer({ name: "One", transport: "http", url: first.url, ...settings });
    await service.connect(id);
    await service.updateServer(id, { url: second.url });
    await service.callTool(id, "one", {});
    expect(second.received.some(({ message }) => message.method === "tools/call")).toBe(true);
    expect(statuses).toEqual(["connecting", "connected", "disconnected", "connecting", "connected"]);
  });
});

describe("RFC-009 on the wire", () => {
  async function connectTo(answer: Answer, more: Partial<MCPServerConfig> = {}) {
    const { url, received } = await record(answer);
    const test = startService();
    const { id } = await test.service.addServer({ name: "Wire", transport: "http", url, ...settings, ...more });
    await test.service.connect(id);
    return { ...test, id, received };
  }

  it("S1.23 S1.25 S1.30 D.5 T1.1 T1.13 handshake, then tools; ids grow; notifications carry none", async () => {
    const { received } = await connectTo(streamable(okay));
    const posts = received.filter(({ method }) => method === "POST").map(({ message }) => message);
    const methods = posts.map(({ method }) => method);
    expect(methods.slice(methods.indexOf("initialize"))).toEqual([
      "initialize",
      "notifications/initialized",
      "tools/list",
    ]);
    const initialize = posts.find(({ method }) => method === "initialize");
    expect(initialize?.params).toMatchObject({ clientInfo });
    // The client declares only capabilities it has a handler for.
    expect(initialize?.params?.capabilities).toEqual({});
    expect(initialize).not.toMatchObject({ params: { protocolVersion: "2024-11-05" } });
    expect(posts.find(({ method }) => method === "notifications/initialized")?.id).toBeUndefined();
    const ids = posts.flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("S1.26 JSON, then the server's headers, then authentication, which wins", async () => {
    const { received } = await connectTo(streamable(okay), {
      headers: { "X-Team": "blue", Authorization: "from headers" },
      authentication: { type: "bearer", token: "from-authentication" },
    });
    for (const { headers } of received.filter(({ method }) => method === "POST")) {
      expect(headers).toMatchObject({
        "content-type": "application/json",
        "x-team": "blue",
        authorization: "Bearer from-authentication",
      });
      expect(headers.accept).toContain("text/event-stream");
    }
  });

  it.each([
    [{ type: "bearer", token: "abc" }, { authorization: "Bearer abc" }],
    [{ type: "api-key", key: "k1", header: "x-api-key" }, { "x-api-key": "k1" }],
    [{ type: "api-key", key: "k2", header: "X-Other" }, { "x-other": "k2" }],
    [{ type: "basic", username: "jürgen", password: "pä:ss" }, { authorization: "Basic asO8cmdlbjpww6Q6c3M=" }],
  ] as const)("S1.27 T1.12 encodes %j", async (authentication, expected) => {
    const { service, id, received } = await connectTo(streamable(okay), { authentication });
    expect(await service.callTool(id, "one", {})).toEqual([{ type: "text", text: "done" }]);
    for (const { headers } of received) expect(headers).toMatchObject(expected);
  });

  it("D.4 S1.31 S1.32 SSE sends credentials as headers, on the stream and on every POST, never in the address", async () => {
    const authentication = { type: "bearer", token: "canary" } as const;
    const { received } = await connectTo(eventStream(), { transport: "sse", authentication });
    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /mcp",
      "POST /post",
      "POST /post",
      "POST /post",
    ]);
    for (const { headers, path } of received) {
      expect(headers.authorization).toBe("Bearer canary");
      expect(path).not.toContain("canary");
    }
  });

  it("S1.29 a status other than 2xx", async () => {
    const { service, id, calls } = await connectTo(streamable((_received, response) => response.writeHead(500).end()));
    const error = await failure(service.callTool(id, "one", {}));
    expect([error.code, error.message]).toEqual(["protocol-error", "HTTP 500: Internal Server Error"]);
    await waitUntil(() => calls.length === 3);
    expect(calls.at(-1)).toMatchObject({ status: "error", error: "HTTP 500: Internal Server Error" });
  });

  it("S1.21 S1.29 a status other than 2xx while connecting", async () => {
    const { url } = await record((_received, response) => response.writeHead(403).end());
    const { service, statuses } = startService();
    const { id } = await service.addServer({ name: "Wire", transport: "http", url, ...settings });
    expect((await failure(service.connect(id))).message).toMatch(/^HTTP 403: Forbidden\n/);
    expect(statuses).toEqual(["connecting", "error"]);
  });

  it("S1.29 an error of the protocol", async () => {
    const refuse: Answer = ({ message }, response) => {
      const error = { code: -32050, message: "no more tea" };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error }));
    };
    const { service, id } = await connectTo(streamable(refuse));
    const error = await failure(service.callTool(id, "one", {}));
    expect([error.code, error.message]).toEqual(["protocol-error", "MCP Error -32050: no more tea"]);
  });

  it("S1.29 an SSE stream that cannot be opened", async () => {
    const { url } = await record((_received, response) => response.writeHead(404).end());
    const { service } = startService();
    const { id } = await service.addServer({ name: "Wire", transport: "sse", url, ...settings });
    expect((await failure(service.connect(id))).message).toMatch(/^SSE connection failed: HTTP 404: Not Found\n/);
  });

  it("S1.28 S1.29 S1.53 SSE: what cannot be read is logged and ignored; no answer is a timeout", async () => {
    // The timeout must also be long enough to connect.
    const { service, id, logger } = await connectTo(eventStream(), { transport: "sse", timeout: 5_000 });
    expect(logger.lines.map(({ text }) => text)).toContain("Wire: Failed to parse SSE message");
    const error = await failure(service.callTool(id, "one", {}));
    expect([error.code, error.message]).toEqual(["timed-out", "Request timeout"]);
  });

  it("S1.28 HTTP: connecting is bounded by the server's timeout", async () => {
    const { url } = await record(() => undefined);
    const { service } = startService();
    const { id } = await service.addServer({ name: "Wire", transport: "http", url, ...settings, timeout: 1_000 });
    expect((await failure(service.connect(id))).message).toMatch(/^no answer within 1 s\n/);
  });

  it("S1.48 credentials appear in no error, event or log line", async () => {
    const leak: Answer = ({ headers }, response) => response.writeHead(500, `Saw ${headers.authorization}`).end();
    const authentication = { type: "bearer", token: "canary-token" } as const;
    const { service, id, logger, calls } = await connectTo(streamable(leak), { authentication });
    const error = await failure(service.callTool(id, "one", {}));
    expect(JSON.stringify([error.message, error.failure, calls, logger.lines])).not.toContain("canary-token");
  });
});
