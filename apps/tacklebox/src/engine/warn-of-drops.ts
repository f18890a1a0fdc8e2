import { type Engine, type Logger, listen } from "@tacklebox/core";

/**
 * Logs a warning whenever a server that was up goes down. The engine's log says when it is connected again. Returns a
 * function that stops it.
 */
export function warnOfDrops(engine: Pick<Engine, "events">, logger: Logger): () => void {
  const up = new Set<string>();
  return listen(engine, (event) => {
    if (event.type !== "connection-changed") return;
    const { sessionId = "", server, status, cause } = event;
    const key = `${sessionId}/${server}`;
    if (status === "connected") up.add(key);
    // Without a cause it was closed on purpose.
    else if (up.delete(key) && cause !== undefined) {
      const what = status === "disconnected" ? "was restarted" : "went down";
      logger.log("warn", `mcp: server '${server}' ${what}: ${cause}`, { server });
    }
  });
}
