import http from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import type { McpHttpHandler } from "@modelcontextprotocol/server";

export interface ServedHandler {
  readonly url: string;
  readonly server: http.Server;
  close(): Promise<void>;
}

/** Serves the SDK's handler on a free port of the loopback interface. `onRequest` sees every request first. */
export async function serveHandler(
  handler: McpHttpHandler,
  onRequest: (request: http.IncomingMessage) => void = () => undefined,
): Promise<ServedHandler> {
  // Needed because the package's types do not support exactOptionalPropertyTypes.
  const listener = toNodeHandler(handler) as unknown as http.RequestListener;
  const server = http.createServer((request, response) => {
    onRequest(request);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    server,
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
