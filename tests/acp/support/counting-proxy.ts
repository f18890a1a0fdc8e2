import { request } from "node:http";
import { type CountingServer, listenCounting } from "./listen-counting.ts";

export interface CountingProxy extends CountingServer {
  /** MCP sessions started through the proxy, and those ended by DELETE. */
  sessions(): { readonly begun: number; readonly ended: number };
}

/** Forwards everything to a Streamable HTTP server and counts sessions and sockets. */
export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const begun = new Set<string>();
  const ended = new Set<string>();
  const server = await listenCounting((incoming, answer) => {
    const { method, headers } = incoming;
    const id = headers["mcp-session-id"];
    if (method === "DELETE" && typeof id === "string") ended.add(id);
    const outgoing = request(target, { method, headers: { ...headers, host: new URL(target).host } }, (reply) => {
      const given = reply.headers["mcp-session-id"];
      if (typeof given === "string") begun.add(given);
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    // When the client disconnects, so does the proxy.
    answer.on("close", () => outgoing.destroy());
    outgoing.on("error", () => answer.destroy());
    incoming.pipe(outgoing);
  });
  return { ...server, sessions: () => ({ begun: begun.size, ended: ended.size }) };
}
