import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { type Engine, type EngineEvent, type Logger, listen } from "@tacklebox/core";
import type { ServerNews } from "./server-news.ts";
import type { SlashCommands } from "./slash/slash-commands.ts";

/** Watches the servers of one session for failures and for the commands that their prompts provide. */
export interface SessionWatch {
  /** Sends the commands known now, and again once every server was asked for its prompts. */
  announceCommands(): void;
  /** Reports the servers that failed before this session began to listen. */
  reportFailed(): Promise<void>;
  end(): void;
}

export interface SessionWatchDeps {
  readonly engine: Engine;
  readonly logger: Logger;
  readonly sessionId: string;
  /** Keys of the session's own servers. */
  readonly ownServers: ReadonlySet<string>;
  readonly news: ServerNews;
  readonly commands: SlashCommands;
  readonly send: (update: SessionUpdate) => void;
}

const UNKNOWN_CAUSE = "it could not be connected";

export function watchSession(deps: SessionWatchDeps): SessionWatch {
  const { engine, logger, sessionId: ownId, ownServers, news, commands, send } = deps;
  const background = new AbortController();
  let refreshing: Promise<void> = Promise.resolve();

  /** Handles events of the session's own servers, and of the agent's servers that none of its own hides. */
  function onEvent(event: EngineEvent): void {
    // Servers that failed meanwhile are reported with the next prompt.
    if (event.type === "gap") refreshCommands();
    if (event.type !== "connection-changed" && event.type !== "offers-changed") return;
    const { sessionId, server } = event;
    if (sessionId !== ownId && (sessionId !== undefined || ownServers.has(server))) return;
    const status = event.type === "offers-changed" ? "connected" : event.status;
    if (event.type === "connection-changed" && status === "error") news.failed(server, event.cause ?? UNKNOWN_CAUSE);
    if (status !== "connected") return;
    news.recovered(server);
    refreshCommands();
  }

  function refreshCommands(): void {
    refreshing = refreshing
      .then(async () => {
        if (!background.signal.aborted && (await commands.refresh(background.signal))) sendCommands();
      })
      // A server that goes away while it is asked has no commands; its failure is reported elsewhere.
      .catch((error: unknown) => logger.log("debug", `Prompts could not be listed: ${String(error)}`));
  }

  function sendCommands(): void {
    send({ sessionUpdate: "available_commands_update", availableCommands: commands.list() });
  }

  const unsubscribe = listen(engine, onEvent);
  return {
    announceCommands() {
      sendCommands();
      refreshCommands();
    },
    async reportFailed() {
      for (const { key, status, cause = UNKNOWN_CAUSE } of await engine.servers.list({ sessionId: ownId })) {
        if (status === "error") news.failed(key, cause);
        if (status === "connected") news.recovered(key);
      }
    },
    end() {
      unsubscribe();
      background.abort();
    },
  };
}
