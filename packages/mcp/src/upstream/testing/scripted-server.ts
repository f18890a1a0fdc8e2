import http from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly message: ReceivedMessage;
}

export interface ReceivedMessage {
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

export interface ScriptedServer {
  readonly url: string;
  readonly received: ReceivedRequest[];
  close(): Promise<void>;
}

export type RequestHandler = (received: ReceivedRequest, response: http.ServerResponse) => void;

/** Starts an HTTP server on a free port that passes every request, once its body is read, to `answer`. */
export async function listen(answer: RequestHandler): Promise<ScriptedServer> {
  const received: ReceivedRequest[] = [];
  const server = http.createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const message: ReceivedMessage = body === "" ? {} : JSON.parse(body);
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

export function sendJson(response: http.ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

export function sendResult(response: http.ServerResponse, { message }: ReceivedRequest, value: object): void {
  sendJson(response, { jsonrpc: "2.0", id: message.id, result: value });
}

export function sendStatus(
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

export function sendEvent(response: http.ServerResponse, value: unknown): void {
  response.write(`event: message\ndata: ${JSON.stringify(value)}\n\n`);
}

export const serverInfo = { name: "scripted", version: "9.9.9" };
export const initializeResult = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };

/** A modern server without the SDK, so that it can misbehave in ways the SDK does not allow. */
export function modernServer(onRequest: RequestHandler): RequestHandler {
  return (received, response) => {
    if (received.message.method !== "server/discover") return onRequest(received, response);
    const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {} };
    const discovered = { supportedVersions: ["2026-07-28"], capabilities, ttlMs: 0, cacheScope: "private" };
    return sendResult(response, received, { resultType: "complete", ...discovered });
  };
}

/** A legacy Streamable HTTP server with one session; `onCall` answers `tools/call`. */
export function legacyServer(onCall: RequestHandler, sessionId?: () => string): RequestHandler {
  return (received, response) => {
    const { method, message } = received;
    if (method === "DELETE") return sendStatus(response, 200);
    if (method === "GET") return sendStatus(response, 405);
    if (message.method === "initialize") {
      const headers: Record<string, string> = sessionId === undefined ? {} : { "mcp-session-id": sessionId() };
      return sendJson(response, { jsonrpc: "2.0", id: message.id, result: initializeResult }, headers);
    }
    if (message.id === undefined) return sendStatus(response, 202);
    if (message.method === "tools/call") return onCall(received, response);
    if (message.method === "tools/list") return sendResult(response, received, { tools: [{ name: "one" }, "broken"] });
    return sendJson(response, { jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "Method not found" } });
  };
}

/** A server of the old HTTP+SSE transport, for one client at a time, that supports only the handshake. */
export function sseServer(): RequestHandler {
  let stream: http.ServerResponse | undefined;
  return ({ method, message }, response) => {
    if (method === "GET") {
      stream = response;
      startEvents(response);
      return void response.write("event: endpoint\ndata: /message\n\n");
    }
    sendStatus(response, 202, "Accepted");
    if (message.method !== "initialize" || stream === undefined) return;
    sendEvent(stream, { jsonrpc: "2.0", id: message.id, result: initializeResult });
  };
}
