import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { printableLine, printableText } from "../output/printable.ts";

/** Notifies the person, once each, of servers that cannot be used. */
export interface ServerNews {
  failed(server: string, cause: string): void;
  /** Makes a later failure of the server count as news again. */
  recovered(server: string): void;
  /** Reports a problem that belongs to no server by name. */
  problem(text: string): void;
  /** Reports that the config file of the folder is not used. */
  leftOut(text: string): void;
  /** Reports what a reload of the config changed. Only for editors that have notices: it is nothing to act on. */
  reloaded(text: string): void;
  /** Sends waiting news. If the editor has no notices, news wait for the next turn and become part of its text. */
  flush(): void;
}

export interface ServerNewsDeps {
  readonly notices: boolean;
  readonly isInTurn: () => boolean;
  readonly send: (update: SessionUpdate) => void;
}

interface News {
  readonly title: string;
  readonly description: string;
}

export function createServerNews({ notices, isInTurn, send }: ServerNewsDeps): ServerNews {
  const reported = new Set<string>();
  const waiting: News[] = [];

  function flush(): void {
    for (const { title, description } of waiting.splice(0)) {
      if (notices) send({ sessionUpdate: "notice", severity: "warning", title, description });
      else
        send({
          sessionUpdate: "agent_message_chunk",
          content: { type: "text", text: `**${title}.** ${description}\n\n` },
        });
    }
  }

  function add(news: News): void {
    waiting.push(news);
    if (notices || isInTurn()) flush();
  }

  return {
    flush,
    failed(server, cause) {
      if (reported.has(server)) return;
      reported.add(server);
      const name = printableLine(server);
      add({
        title: `MCP server '${name}' cannot be used`,
        description: `${printableLine(cause).replace(/\.$/, "")}. Its tools are missing until it connects. Try again with /mcp reconnect ${name}`,
      });
    },
    recovered: (server) => void reported.delete(server),
    reloaded(text) {
      if (!notices) return;
      send({
        sessionUpdate: "notice",
        severity: "info",
        title: "The config was reloaded",
        description: printableText(text),
      });
    },
    leftOut: (text) => add({ title: "The config file of this folder is not used", description: printableText(text) }),
    problem: (text) => add({ title: "An MCP server cannot be used", description: printableLine(text) }),
  };
}
