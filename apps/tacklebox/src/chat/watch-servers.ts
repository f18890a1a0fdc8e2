import { type Engine, listen, type ServerView } from "@tacklebox/core";
import { printableLine, printableText } from "../output/printable.ts";
import { cutToWidth } from "../output/text-width.ts";
import { wrapLines } from "./markdown/word-wrap.ts";
import type { Screen } from "./screen.ts";

/** Tells how servers are: in a live row while they start, in lines when one goes down or comes back. */
export interface ServerWatch {
  /** Everything is up or has failed: from then on changes are said. */
  started(): Promise<void>;
  close(): void;
}

/** How a server is now. */
type ServerNews = Pick<ServerView, "scope" | "status"> & { readonly server: string; readonly cause?: string };

/** Of what a server said last. */
const MOST_LINES = 4;

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

  function changed({ scope, server, status, cause }: ServerNews): void {
    if (scope === "local") return;
    statuses.set(server, status);
    if (isStarting) drawStart();
    else say(server, status, cause);
  }

  function say(server: string, status: ServerView["status"], cause: string | undefined): void {
    if (status === "connected" && down.delete(server))
      screen.print(screen.paint(`${printableLine(server)} is back.`, "dim"));
    if (status === "connected" || status === "connecting" || status === "disabled" || down.has(server)) return;
    down.add(server);
    const why = cause === undefined ? "." : `: ${cause.split("\n").slice(0, MOST_LINES).join("\n  ")}`;
    screen.print(wrapLines(printableText(`${server} is down${why}`), "yellow", screen));
  }

  /** What is only told must not end the chat. */
  async function lookAgain(): Promise<readonly ServerView[]> {
    const views = await engine.servers.list().catch(() => []);
    if (!isClosed) for (const { key, ...view } of views) changed({ ...view, server: key });
    return views;
  }

  const stopListening = listen(engine, (event) => {
    if (event.type === "gap") void lookAgain();
    // What a session brings along is not this chat's.
    if (event.type === "connection-changed" && event.sessionId === undefined) changed(event);
  });

  return {
    async started() {
      // Events come a moment later: what failed by now is part of the start, and no news when it is heard of.
      for (const { key, status } of await lookAgain()) if (status === "error") down.add(key);
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
