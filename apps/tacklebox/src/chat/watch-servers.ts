import { type Engine, listen, type ServerView } from "@tacklebox/core";
import { printableLine, printableText } from "../output/printable.ts";
import { cutToWidth } from "../output/text-width.ts";
import { wrapLines } from "./markdown/word-wrap.ts";
import type { Screen } from "./terminal/screen.ts";

/** Shows the status of servers: in a live row while they start, then a line whenever one goes down or comes back. */
export interface ServerWatch {
  /** Call it once every server is connected or has failed; from then on changes are printed. */
  started(): Promise<void>;
  close(): void;
}

/** A server's new status. */
type ServerChange = Pick<ServerView, "scope" | "status"> & { readonly server: string; readonly cause?: string };

/** How many lines of a cause are shown. */
const MAX_LINES = 4;

export function watchServers(engine: Pick<Engine, "servers" | "events">, screen: Screen): ServerWatch {
  const statuses = new Map<string, ServerView["status"]>();
  const down = new Set<string>();
  let isStarting = true;
  let isClosed = false;

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

  function changed({ scope, server, status, cause }: ServerChange): void {
    if (scope === "local") return;
    statuses.set(server, status);
    if (isStarting) drawStart();
    else report(server, status, cause);
  }

  function report(server: string, status: ServerView["status"], cause: string | undefined): void {
    if (status === "connected" && down.delete(server))
      screen.print(screen.paint(`${printableLine(server)} is back.`, "dim"));
    if (status === "connected" || status === "connecting" || status === "disabled" || down.has(server)) return;
    down.add(server);
    const why = cause === undefined ? "." : `: ${cause.split("\n").slice(0, MAX_LINES).join("\n  ")}`;
    screen.print(wrapLines(printableText(`${server} is down${why}`), "yellow", screen));
  }

  /** Never rejects: a failed status update must not end the chat. */
  async function refresh(): Promise<readonly ServerView[]> {
    const views = await engine.servers.list().catch(() => []);
    if (!isClosed) for (const { key, ...view } of views) changed({ ...view, server: key });
    return views;
  }

  const stopListening = listen(engine, (event) => {
    if (event.type === "gap") void refresh();
    // Servers of a session do not belong to this chat.
    if (event.type === "connection-changed" && event.sessionId === undefined) changed(event);
  });

  return {
    async started() {
      // Events arrive late: a server that has failed by now failed during the start and must not be reported again.
      for (const { key, status } of await refresh()) if (status === "error") down.add(key);
      isStarting = false;
      for (const [server, status] of statuses) if (status === "error") down.add(server);
      drawStart();
    },
    close() {
      stopListening();
      isClosed = true;
      isStarting = false;
      drawStart();
    },
  };
}
