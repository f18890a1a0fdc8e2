import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { GroupWriter } from "../writing/group-writer.ts";
import type { CallChain } from "./call-chain.ts";
import {
  type Folded,
  type Link,
  parseEntries,
  parseFoldedLinks,
  type Repaired,
  toFoldedEntry,
  toFoldedLinks,
  toRepairedEntry,
} from "./link.ts";

/** A few milliseconds of work, as when calls are removed. */
const ENTRIES_AT_ONCE = 1_000;

const FIRST_LINKS = "SELECT * FROM call_links ORDER BY seq";
const FIND_CALL = "SELECT 1 FROM calls WHERE id = ?";
const REMOVE_LINKS = "DELETE FROM call_links WHERE seq < ?";
const REPLACE_ENTRIES = "UPDATE call_links SET entries = ? WHERE seq = ?";

/**
 * Folds the oldest links, as far as all their calls have been removed, into one that keeps the last hash, so that the
 * chain does not outgrow the calls. A further link says so: a chain that merely begins later was cut off.
 */
export async function foldLinks(database: DatabaseSyncInstance, writer: GroupWriter, chain: CallChain): Promise<void> {
  while (database.isOpen) {
    // Looked for outside the transaction: if there is nothing to fold, the write lock is not taken.
    if (findFoldable(database) === undefined) return;
    await writer.write(() => {
      const found = findFoldable(database);
      if (found === undefined) return;
      const { folded, repaired } = found;
      database.prepare(REMOVE_LINKS).run(folded.seq);
      database.prepare(REPLACE_ENTRIES).run(toFoldedLinks(folded), folded.seq);
      chain.add(toFoldedEntry(folded));
      if (repaired !== undefined) chain.add(toRepairedEntry(repaired));
    });
  }
}

interface Foldable {
  readonly folded: Folded;
  /** Set if one of the links says that the file was repaired, which must not be forgotten. */
  readonly repaired: Repaired | undefined;
}

/** The links to fold, up to about as many entries as can be folded at once. */
function findFoldable(database: DatabaseSyncInstance): Foldable | undefined {
  const findCall = database.prepare(FIND_CALL);
  let found: Folded | undefined;
  let repaired: Repaired | undefined;
  let looked = 0;
  let foldedCalls = 0;
  const links: Iterable<Link> = database.prepare(FIRST_LINKS).iterate();
  for (const link of links) {
    const known = parseFoldedLinks(link);
    const counted = known ?? countRemoved(link, (id) => findCall.get(id) !== undefined);
    if (counted === undefined) break;
    repaired = repairIn(link) ?? repaired;
    if (known === undefined) {
      looked += counted.calls + counted.removals;
      foldedCalls += counted.calls;
    }
    const { seq, hash } = link;
    const calls = (found?.calls ?? 0) + counted.calls;
    found = { seq, hash, calls, removals: (found?.removals ?? 0) + counted.removals };
    if (looked >= ENTRIES_AT_ONCE && foldedCalls > 0) break;
  }
  // Links without calls are not worth another link, and folding only those would never come to an end.
  return foldedCalls > 0 && found !== undefined ? { folded: found, repaired } : undefined;
}

function repairIn(link: Link): Repaired | undefined {
  for (const entry of parseEntries(link)) {
    if (entry?.kind !== "repaired") continue;
    const { kept, lost, changed, head, at = link.at } = entry;
    return { kept, lost, changed, head, at };
  }
  return undefined;
}

/** Undefined if a call of the link is still there. */
function countRemoved(link: Link, isThere: (id: string) => boolean): Pick<Folded, "calls" | "removals"> | undefined {
  let calls = 0;
  let removals = 0;
  for (const entry of parseEntries(link)) {
    if (entry === undefined) return undefined;
    if (entry.kind === "removed") removals += 1;
    if (entry.kind === "ended" || entry.kind === "before") calls += 1;
    if ("digest" in entry && isThere(entry.id)) return undefined;
  }
  return { calls, removals };
}
