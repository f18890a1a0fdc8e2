import { type Engine, listen, type ServerView } from "@tacklebox/core";
import { printableLine, printableText } from "../output/printable.ts";
import { cutToWidth } from "../output/text-width.ts";
import { wrapLines } from "./markdown/word-wrap.ts";
import type { Screen } from "./terminal/screen.ts";

/** Shows the status of servers: in a live row while they start, then a line whenever one goes down or comes back. */
export interface ServerWatch {
  /** Call it when the start is announced; from then on servers that join later are announced one by one. */
  started(): Promise<void>;
  close(): void;
}

/** A server's new status. */
type ServerChange = Pick<ServerView, "scope" | "status"> & { readonly server: string; readonly cause?: string };

/** How many lines of a cause are shown. */
const MAX_LINES = 12;

export function watchServers(engine: Pick<Engine, "servers" | "events">, screen: Screen): ServerWatch {
  /** Servers that are connecting for the first time. */
  const starting = new Set<string>();
  /** Servers that have been up or have failed. */
  const known = new Set<string>();
  const down = new Set<string>();
  let isAnnounced = false;
  let isClosed = false;

  function drawStart(): void {
    screen.show(
      "servers",
      isClosed || starting.size === 0
        ? undefined
        : (columns) => ({
            rows: [
              screen.paint(cutToWidth(printableLine(`Connecting ${[...starting].join(", ")} …`), columns - 1), "dim"),
            ],
          }),
    );
  }

  function changed({ scope, server, status, cause }: ServerChange): void {
    if (scope === "local") return;
    if (known.has(server)) {
      report(server, status, cause);
      return;
    }
    if (status === "connecting") starting.add(server);
    else starting.delete(server);
    drawStart();
    if (status !== "connected" && status !== "error") return;
    known.add(server);
    // The log says why a server did not come up.
    if (status === "error") down.add(server);
    else if (isAnnounced) screen.print(screen.paint(`${printableLine(server)} is up.`, "dim"));
  }

  function report(server: string, status: ServerView["status"], cause: string | undefined): void {
    if (status === "connected" && down.delete(server))
      screen.print(screen.paint(`${printableLine(server)} is back.`, "dim"));
    if (status === "connected" || status === "connecting" || status === "disabled" || down.has(server)) return;
    down.add(server);
    const why = cause === undefined ? "." : `: ${cause.split("\n").slice(0, MAX_LINES).join("\n  ")}`;
    // Closed with a cause, it is opened again at once.
    const what = status === "disconnected" && cause !== undefined ? `'${server}' was restarted` : `${server} is down`;
    screen.print(wrapLines(printableText(`${what}${why}`), "yellow", screen));
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
      // Events arrive late: what has happened by now belongs to the start.
      await refresh();
      isAnnounced = true;
    },
    close() {
      stopListening();
      isClosed = true;
      drawStart();
    },
  };
}
