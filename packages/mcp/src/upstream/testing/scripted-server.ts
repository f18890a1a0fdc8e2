import http from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly message: Message;
}

export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly arguments?: Record<string, unknown>;
    readonly capabilities?: object;
    readonly inputResponses?: object;
    readonly requestState?: string;
    readonly _meta?: object;
  };
}

export interface Listening {
  readonly url: string;
  readonly received: Received[];
  close(): Promise<void>;
}

export type Answer = (received: Received, response: http.ServerResponse) => void;

/** An HTTP server on a free port that hands every request, body read, to `answer`. */
export async function listen(answer: Answer): Promise<Listening> {
  const received: Received[] = [];
  const server = http.createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const message: Message = body === "" ? {} : JSON.parse(body);
      const one = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, message };
      received.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(response: http.ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

export function result(response: http.ServerResponse, { message }: Received, value: object): void {
  json(response, { jsonrpc: "2.0", id: message.id, result: value });
}

export function refuse(
  response: http.ServerResponse,
  status: number,
  body = "",
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, headers).end(body);
}

export function startEvents(response: http.ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
}

export function event(response: http.ServerResponse, value: unknown): void {
  response.write(`event: message\ndata: ${JSON.stringify(value)}\n\n`);
}

export const serverInfo = { name: "scripted", version: "9.9.9" };
export const initialized = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };

/** A modern server without any SDK, so that it can do what no SDK lets a server do. */
export function modernServer(onRequest: Answer): Answer {
  return (received, response) => {
    if (received.message.method !== "server/discover") return onRequest(received, response);
    const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {} };
    const discovered = { supportedVersions: ["2026-07-28"], capabilities, ttlMs: 0, cacheScope: "private" };
    return result(response, received, { resultType: "complete", ...discovered });
  };
}

/** A legacy Streamable HTTP server with one session; `onCall` answers `tools/call`. */
export function legacyServer(onCall: Answer, sessionId?: () => string): Answer {
  return (received, response) => {
    const { method, message } = received;
    if (method === "DELETE") return refuse(response, 200);
    if (method === "GET") return refuse(response, 405);
    if (message.method === "initialize") {
      const headers: Record<string, string> = sessionId === undefined ? {} : { "mcp-session-id": sessionId() };
      return json(response, { jsonrpc: "2.0", id: message.id, result: initialized }, headers);
    }
    if (message.id === undefined) return refuse(response, 202);
    if (message.method === "tools/call") return onCall(received, response);
    if (message.method === "tools/list") return result(response, received, { tools: [{ name: "one" }, "broken"] });
    return json(response, { jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "Method not found" } });
  };
}

/** A server of the old HTTP+SSE transport, for one client at a time, that knows nothing but the handshake. */
export function sseServer(): Answer {
  let stream: http.ServerResponse | undefined;
  return ({ method, message }, response) => {
    if (method === "GET") {
      stream = response;
      startEvents(response);
      return void response.write("event: endpoint\ndata: /message\n\n");
    }
    refuse(response, 202, "Accepted");
    if (message.method !== "initialize" || stream === undefined) return;
    event(stream, { jsonrpc: "2.0", id: message.id, result: initialized });
  };
}
