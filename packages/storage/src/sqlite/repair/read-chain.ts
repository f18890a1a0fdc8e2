import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { type Link, parseEntries } from "../chain/link.ts";
import { digestRow, type LoggedCall } from "../chain/row-digest.ts";

/** What the chain of a damaged file says about its calls. */
export interface KnownCalls {
  /** Their last digests, by id, of those that should be there. */
  readonly digests: ReadonlyMap<string, string>;
  /** Those that were removed, as far as their links were not folded. */
  readonly removed: ReadonlySet<string>;
  /** The last hash; null if not all links could be read. Then there may be calls that are not in `digests`. */
  readonly head: string | null;
}

export function readChain(database: DatabaseSyncInstance): KnownCalls {
  const digests = new Map<string, string>();
  const removed = new Set<string>();
  let head: string | null = null;
  try {
    const links: Iterable<Link> = database.prepare("SELECT * FROM call_links ORDER BY seq").iterate();
    for (const link of links) {
      head = link.hash;
      for (const entry of parseEntries(link)) {
        if (entry?.kind === "removed") {
          digests.delete(entry.id);
          removed.add(entry.id);
        }
        if (entry !== undefined && "digest" in entry) digests.set(entry.id, entry.digest);
      }
    }
  } catch {
    head = null;
  }
  return { digests, removed, head };
}

/** Whether the file may have held the call when it was damaged. */
export function mayHaveBeenThere(id: string, { digests, removed, head }: KnownCalls): boolean {
  return head === null ? !removed.has(id) : digests.has(id);
}

/** How many calls are missing, and how many ended ones are not as they were recorded, or were not recorded at all. */
export function compareWithChain(
  copied: DatabaseSyncInstance,
  { digests, head }: KnownCalls,
): { readonly lost: number; readonly changed: number } {
  let found = 0;
  let changed = 0;
  const rows: Iterable<LoggedCall> = copied
    .prepare("SELECT * FROM calls WHERE status IN ('success', 'error')")
    .iterate();
  for (const row of rows) {
    const digest = digests.get(row.id);
    if (digest !== undefined) found += 1;
    if (digest === undefined ? head !== null : digest !== digestRow(row)) changed += 1;
  }
  return { lost: digests.size - found, changed };
}
