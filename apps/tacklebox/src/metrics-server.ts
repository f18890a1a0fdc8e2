import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { ReadableMetrics } from "./metrics.ts";

export type MetricsServer =
  | { readonly kind: "listening"; readonly url: string; close(): Promise<void> }
  | { readonly kind: "refused"; readonly message: string };

/** Serves /metrics on the loopback interface only. Port 0 picks any free port. */
export async function serveMetrics(metrics: ReadableMetrics, port: number): Promise<MetricsServer> {
  const server = createServer((request, response) => void answer(metrics, request, response));
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const reason = code === "EADDRINUSE" ? "the port is taken" : code;
    return {
      kind: "refused",
      message: `Cannot serve metrics on 127.0.0.1:${port}: ${reason}. Choose another --metrics PORT, or 0 for any.`,
    };
  }
  const address = server.address();
  const chosen = typeof address === "object" && address !== null ? address.port : port;
  return {
    kind: "listening",
    url: `http://127.0.0.1:${chosen}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const OWN_HOSTS = ["127.0.0.1", "localhost"];

async function answer(metrics: ReadableMetrics, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // DNS rebinding: a web page can point its own host name at 127.0.0.1 to read us. Its Host header gives it away.
  const host = request.headers.host?.replace(/:\d+$/, "") ?? "";
  if (!OWN_HOSTS.includes(host)) return reply(response, 403, "Forbidden\n");
  if (request.method !== "GET" && request.method !== "HEAD") return reply(response, 405, "Method not allowed\n");
  if (request.url?.split("?", 1)[0] !== "/metrics") return reply(response, 404, "Not found; metrics are at /metrics\n");
  reply(response, 200, await metrics.read(), metrics.contentType);
}

function reply(response: ServerResponse, status: number, body: string, type = "text/plain; charset=utf-8"): void {
  response.writeHead(status, { "content-type": type, "x-content-type-options": "nosniff" }).end(body);
}
