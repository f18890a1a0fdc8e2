import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { printableLine } from "../output/printable.ts";

/** Tells the person, once, about servers that cannot be used. */
export interface ServerNews {
  failed(server: string, cause: string): void;
  /** A later failure is news again. */
  recovered(server: string): void;
  /** Something is wrong that no server's name stands for. */
  problem(text: string): void;
  /** Where the editor shows no notices, news wait for the next turn and are said in it. */
  tell(): void;
}

export interface NewsParts {
  readonly notices: boolean;
  readonly isInTurn: () => boolean;
  readonly send: (update: SessionUpdate) => void;
}

interface News {
  readonly title: string;
  readonly description: string;
}

export function createServerNews({ notices, isInTurn, send }: NewsParts): ServerNews {
  const told = new Set<string>();
  const waiting: News[] = [];

  function tell(): void {
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
    if (notices || isInTurn()) tell();
  }

  return {
    tell,
    failed(server, cause) {
      if (told.has(server)) return;
      told.add(server);
      const name = printableLine(server);
      add({
        title: `MCP server '${name}' cannot be used`,
        description: `${printableLine(cause).replace(/\.$/, "")}. Its tools are missing until it is there. Try again with /mcp reconnect ${name}`,
      });
    },
    recovered: (server) => void told.delete(server),
    problem: (text) => add({ title: "An MCP server cannot be used", description: printableLine(text) }),
  };
}
