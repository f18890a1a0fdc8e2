import type { ConnectionStatus, Engine } from "@tacklebox/core";
import { printableLine, printableText } from "../output/printable.ts";
import { cutToWidth } from "../output/text-width.ts";
import { wrapLines } from "./markdown/word-wrap.ts";
import type { Screen } from "./screen.ts";

/** Tells how servers are: in a live row while they start, in lines when one goes down or comes back. */
export interface ServerWatch {
  /** Everything is up or has failed: from now on changes are said. */
  started(): void;
  close(): void;
}

/** Of what a server said last. */
const MOST_LINES = 4;

export function watchServers(engine: Pick<Engine, "subscribe">, screen: Screen): ServerWatch {
  const statuses = new Map<string, ConnectionStatus>();
  const down = new Set<string>();
  let isStarting = true;

  function drawStart(): void {
    const awaited = [...statuses].flatMap(([server, status]) => (status === "connecting" ? [server] : []));
    screen.show(
      "servers",
      !isStarting || awaited.length === 0
        ? undefined
        : (columns) => ({
            rows: [screen.paint(cutToWidth(printableLine(`Connecting ${awaited.join(", ")} …`), columns - 1), "dim")],
          }),
    );
  }

  const unsubscribe = engine.subscribe((event) => {
    if (event.type !== "connection-changed" || event.scope === "local") return;
    const { server, status, cause } = event;
    statuses.set(server, status);
    if (isStarting) return drawStart();
    if (status === "connected" && down.delete(server))
      screen.print(screen.paint(`${printableLine(server)} is back.`, "dim"));
    if (status === "connected" || status === "connecting" || down.has(server)) return;
    down.add(server);
    const why = cause === undefined ? "." : `: ${cause.split("\n").slice(0, MOST_LINES).join("\n  ")}`;
    screen.print(wrapLines(printableText(`${server} is down${why}`), "yellow", screen));
  });

  return {
    started() {
      isStarting = false;
      for (const [server, status] of statuses) if (status === "error") down.add(server);
      drawStart();
    },
    close() {
      unsubscribe();
      isStarting = false;
      drawStart();
    },
  };
}
