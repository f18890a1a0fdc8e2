import { type Clock, type Engine, type Logger, listen } from "@tacklebox/core";
import type { ProgressLine } from "./progress-line.ts";

const SLOW_AFTER_MS = 3_000;

type Progress = { readonly kind: "opening" | "slow" | "up" } | { readonly kind: "failed"; readonly cause: string };

/**
 * Shows the progress of connecting in one live line on a terminal. Elsewhere the engine's log reports servers that
 * connect or fail, and this adds only those that are slow. Returns a function that stops it.
 */
export function showConnectProgress(
  engine: Pick<Engine, "events">,
  clock: Pick<Clock, "after">,
  line: ProgressLine,
  logger: Logger,
): () => void {
  const servers = new Map<string, Progress>();
  const timers = new Map<string, () => void>();

  const update = (server: string, progress: Progress) => {
    // The one that failed last comes last.
    if (progress.kind === "failed") servers.delete(server);
    servers.set(server, progress);
    if (line.live) return line.show(formatProgress(servers));
    if (progress.kind === "slow")
      logger.log("info", `MCP server '${server}' is slow: no answer after ${SLOW_AFTER_MS / 1000} s, still waiting`, {
        server,
      });
  };

  const stopListening = listen(engine, (event) => {
    if (event.type !== "connection-changed" || event.scope === "local") return;
    const { server } = event;
    timers.get(server)?.();
    timers.delete(server);
    if (event.status === "connecting") {
      update(server, { kind: "opening" });
      timers.set(
        server,
        clock.after(SLOW_AFTER_MS, () => update(server, { kind: "slow" })),
      );
    }
    if (event.status === "connected") update(server, { kind: "up" });
    if (event.status === "error") update(server, { kind: "failed", cause: event.cause ?? "no reason given" });
  });

  return () => {
    stopListening();
    for (const cancel of timers.values()) cancel();
    line.clear();
  };
}

/**
 * Servers that are still awaited come first: the line is cut to the terminal's width. Only the last one that failed has
 * its cause here, since the log tells them all.
 */
function formatProgress(servers: ReadonlyMap<string, Progress>): string {
  const all = [...servers];
  const up = all.filter(([, { kind }]) => kind === "up");
  const awaited = all.filter(([, { kind }]) => kind === "opening" || kind === "slow");
  const failed = all.filter(([, { kind }]) => kind === "failed");
  const others = [
    ...awaited.map(([server, { kind }]) => (kind === "slow" ? `${server} slow` : server)),
    ...failed.map(
      ([server, progress], index) => `${server} failed${index === failed.length - 1 ? causeOf(progress) : ""}`,
    ),
  ];
  return `Connecting ${up.length}/${all.length} up${others.length > 0 ? `: ${others.join(", ")}` : ""}`;
}

function causeOf(progress: Progress): string {
  return progress.kind === "failed" ? ` (${progress.cause.split("\n", 1)[0]})` : "";
}
