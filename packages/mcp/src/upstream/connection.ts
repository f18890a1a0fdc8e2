import { type Connection, ConnectionError, type ServerInfo } from "@tacklebox/core";
import { listTools } from "./list-tools.ts";
import { paramHeaders } from "./param-headers.ts";
import { toToolResult } from "./tool-result.ts";
import type { Wire } from "./wire.ts";

export interface ConnectionParts {
  readonly info: ServerInfo;
  readonly wire: Wire;
  /** Ends what the connection started. Called once, after everything in flight was failed. */
  readonly stop: () => Promise<void>;
}

/** The port's Connection over a wire that is ready for requests. */
export function createConnection({ info, wire, stop }: ConnectionParts): Connection {
  const mirrorsParams = info.era === "modern" && info.transport === "streamable-http";
  let closing: Promise<void> | undefined;
  return {
    info,
    async listTools(signal) {
      if (info.capabilities.tools === undefined) return { entries: [] };
      return listTools(wire, signal);
    },
    callTool(call) {
      const { answer, finished } = wire.send({
        method: "tools/call",
        params: { name: call.name, arguments: call.arguments },
        signal: call.signal,
        ...(mirrorsParams ? { headers: paramHeaders(call.inputSchema, call.arguments) } : {}),
        ...(call.onProgress === undefined ? {} : { onProgress: call.onProgress }),
      });
      const result = answer.then(toToolResult);
      // Whoever only waits for `finished` must not bring the process down.
      result.catch(() => {});
      return { answer: result, finished };
    },
    close() {
      wire.end(new ConnectionError("interrupted", "The connection was closed before the server answered."));
      closing ??= stop().catch(() => {});
      return closing;
    },
  };
}
