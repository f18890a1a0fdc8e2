import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ServerCookies } from "@tacklebox/mcp/orphans";
import { createFolderNow } from "@tacklebox/storage/folders";
import { createMember, type SystemFacts } from "../process-table.ts";
import { recordsFolder, sweepOrphans } from "./sweep-orphans.ts";

/** The server processes of this program, and what is left of those of programs that were killed. */
export interface ServerProcesses {
  readonly cookies: ServerCookies;
  /** Settles when everything that killed programs left behind has been ended. Never rejects. */
  readonly swept: Promise<void>;
  /** Ends whatever our own servers left behind. Call it once they are stopped. Never rejects. */
  close(): Promise<void>;
}

/** How long to collect servers that ended, so that those that end together cost one look at all processes. */
const COLLECT_MS = 100;

/**
 * A cookie is `owner.number`. The owner is recorded in the data folder before its first server is started, and stays
 * there until its last one has ended: a record whose program is dead tells the next start what to look for.
 */
export function createServerProcesses(dataFolder: string, facts: SystemFacts): ServerProcesses {
  const owner = randomUUID();
  const file = join(recordsFolder(dataFolder), `${owner}.json`);
  const swept = sweepOrphans(dataFolder, facts).catch(() => undefined);
  let started = 0;
  const ended = new Set<string>();
  let collecting: NodeJS.Timeout | undefined;

  function record(): void {
    try {
      createFolderNow(recordsFolder(dataFolder));
      writeFileSync(file, JSON.stringify(createMember(process.pid, owner, facts)), { mode: 0o600 });
    } catch {
      // A full or read-only disk must not keep servers from starting; what they leave behind is then not found later.
    }
  }

  async function endLeftovers(isOurs: (cookie: string) => boolean): Promise<void> {
    const { endCarriers } = await import("@tacklebox/mcp/orphans");
    await endCarriers(isOurs);
  }

  function endCollected(): void {
    collecting = undefined;
    const cookies = new Set(ended);
    ended.clear();
    void endLeftovers((cookie) => cookies.has(cookie));
  }

  return {
    swept,
    cookies: {
      next() {
        if (started === 0) record();
        started += 1;
        return `${owner}.${started}`;
      },
      ended(cookie) {
        ended.add(cookie);
        collecting ??= setTimeout(endCollected, COLLECT_MS).unref();
      },
    },
    async close() {
      clearTimeout(collecting);
      await swept;
      if (started === 0) return;
      await endLeftovers((cookie) => cookie.startsWith(`${owner}.`));
      await rm(file, { force: true }).catch(() => undefined);
    },
  };
}
