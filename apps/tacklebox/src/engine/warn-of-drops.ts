import { type Engine, type Logger, listen } from "@tacklebox/core";

/** Logs a warning whenever a server that was up goes down. Returns a function that stops it. */
export function warnOfDrops(engine: Pick<Engine, "events">, logger: Logger): () => void {
  const up = new Set<string>();
  return listen(engine, (event) => {
    if (event.type !== "connection-changed" || event.sessionId !== undefined) return;
    const { server, status, cause } = event;
    if (status === "connected") up.add(server);
    // Without a cause it was closed on purpose.
    else if (up.delete(server) && cause !== undefined)
      logger.log("warn", `mcp: server '${server}' went down: ${cause}`, { server });
  });
}
