import type { Oddity } from "../domain/connection.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { ServerView } from "../domain/server-view.ts";
import type { Logger } from "../ports/logger.ts";

/** Counts messages from servers that have no place in the protocol, and logs the first of each kind. */
export interface OddityCounts {
  add(definition: ServerDefinition, oddity: Oddity): void;
  of(definition: ServerDefinition): ServerView["oddities"];
}

const MEANINGS = {
  unreadable: "sends text that is not MCP where messages belong; it is skipped. Servers should write logs to stderr",
  oversize: "sent a message that is too large or nested too deeply; it was thrown away",
  "unknown-answer": "answers requests that nobody made; such answers are skipped",
  "late-answer": "answers calls after they were over, or twice; such answers are skipped",
} as const satisfies Record<Oddity, string>;

export function createOddityCounts(logger: Logger): OddityCounts {
  const counts = new Map<string, Map<Oddity, number>>();
  return {
    add({ scope, key, name }, oddity) {
      const own = counts.get(`${scope}/${key}`) ?? new Map<Oddity, number>();
      counts.set(`${scope}/${key}`, own);
      const before = own.get(oddity) ?? 0;
      own.set(oddity, before + 1);
      if (before === 0) logger.log("warn", `MCP server '${name}' ${MEANINGS[oddity]}`);
    },
    of: ({ scope, key }) => Object.fromEntries(counts.get(`${scope}/${key}`) ?? []),
  };
}
