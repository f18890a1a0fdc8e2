import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { releaseAfterwards } from "../../support/release.ts";

export interface CountingServer {
  readonly url: string;
  /** How many sockets to it are open. */
  sockets(): number;
}

/** Starts an HTTP server that is closed when the test ends. */
export async function listenCounting(answer: RequestListener): Promise<CountingServer> {
  let open = 0;
  const server = createServer(answer);
  server.on("connection", (socket) => {
    open += 1;
    socket.on("close", () => {
      open -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  releaseAfterwards(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, sockets: () => open };
}
