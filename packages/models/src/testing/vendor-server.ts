import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How the server answers one request. */
export type Reply =
  | {
      readonly kind: "stream";
      /** Server-sent events, each written separately. */
      readonly events: readonly string[];
      /** What happens after the last event: a proper end, a broken connection, or nothing. */
      readonly after?: "end" | "break" | "hang";
    }
  | {
      readonly kind: "body";
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface VendorServer {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** How many requests are neither fully answered nor aborted by the client. */
  working(): number;
  close(): Promise<void>;
}

/** Starts a real HTTP server that answers each request with the next reply, and repeats the last one. */
export async function startVendorServer(replies: readonly Reply[]): Promise<VendorServer> {
  const requests: SeenRequest[] = [];
  let working = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      requests.push({ path: request.url ?? "", headers: request.headers, body });
      working += 1;
      response.on("close", () => {
        working -= 1;
      });
      const reply = replies[Math.min(requests.length, replies.length) - 1];
      if (reply === undefined) throw new Error("The server needs a reply");
      void answer(response, reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    working: () => working,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(response: ServerResponse, reply: Reply): Promise<void> {
  if (reply.kind === "body") {
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers }).end(reply.body);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of reply.events) await write(response, event);
  if (reply.after === "hang") return;
  if (reply.after === "break") response.destroy();
  else response.end();
}

// Each event goes in its own packet as far as possible: events that arrive together hide bugs.
function write(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => {
    response.write(text, () => setImmediate(resolve));
  });
}

export function sse(value: unknown, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
}
