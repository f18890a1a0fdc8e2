import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Break, ChainReport, RepairNote } from "./chain-report.ts";
import { compareCalls, describeCall } from "./compare-calls.ts";
import { type Entry, type Folded, hashLink, type Link, NO_HASH, parseEntries, parseFoldedLinks } from "./link.ts";
import type { LoggedCall } from "./row-digest.ts";

const MAX_SHOWN = 100;

const LINKS = "SELECT * FROM call_links ORDER BY seq";
const COUNTS = `
  SELECT count(*) FILTER (WHERE status IN ('success', 'error')) AS ended, count(*) AS calls FROM calls`;
const ENDED = "SELECT id, server, tool_name, started_at FROM calls WHERE status IN ('success', 'error') ORDER BY seq";

interface Counts {
  readonly ended: number;
  readonly calls: number;
}

/** Compares every ended call with the chain. Reads the log as it is at one moment, one link after the other. */
export function verifyChain(database: DatabaseSyncInstance, expectedHash?: string): ChainReport {
  database.exec("BEGIN");
  try {
    return verify(database, expectedHash);
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

function verify(database: DatabaseSyncInstance, expectedHash: string | undefined): ChainReport {
  const walk = walkLinks(database, expectedHash);
  const { ended, before, breaks } = walk.comparison.result();
  const count: Counts = database.prepare(COUNTS).get();
  const unrecorded = breaks.length === 0 && ended + before === count.ended ? [] : findUnrecorded(database);
  const broken = [...walk.breaks, ...breaks, ...unrecorded];
  const { first, last, links, removed, repaired, isFound } = walk;
  return {
    verified: ended,
    before,
    removed,
    open: count.calls - count.ended,
    links,
    head: last && { hash: last.hash, at: last.at },
    since: first?.at,
    repaired,
    expected: expectedHash === undefined ? undefined : whereIs(expectedHash, isFound, repaired),
    broken: broken.slice(0, MAX_SHOWN),
    brokenCount: broken.length,
  };
}

function whereIs(hash: string, isFound: boolean, repaired: RepairNote | undefined): ChainReport["expected"] {
  if (isFound) return "found";
  return repaired?.head === hash ? "before-repair" : "not-found";
}

function walkLinks(database: DatabaseSyncInstance, expectedHash: string | undefined) {
  const comparison = compareCalls(database);
  const breaks: Break[] = [];
  let links = 0;
  let removed = 0;
  /** Removals of calls that ended in folded links. */
  let olderRemovals = 0;
  let lastFolded: Folded | undefined;
  let repaired: RepairNote | undefined;
  let first: Link | undefined;
  let last: Link | undefined;
  let isFound = false;

  const all: Iterable<Link> = database.prepare(LINKS).iterate();
  for (const link of all) {
    links += 1;
    if (link.hash === expectedHash) isFound = true;
    const folded = last === undefined ? parseFoldedLinks(link) : undefined;
    if (folded === undefined) {
      breaks.push(...checkLink(link, last));
      for (const entry of parseEntries(link)) take(entry, link);
    }
    removed += folded?.removals ?? 0;
    first ??= link;
    last = link;
  }
  breaks.push(...checkStart(first, lastFolded, olderRemovals));
  return { comparison, breaks, links, removed, repaired, first, last, isFound };

  function take(entry: Entry | undefined, { seq, at }: Link): void {
    switch (entry?.kind) {
      case undefined:
        breaks.push({ kind: "link", text: `Link ${seq}, of ${at}, has an entry that cannot be read.` });
        return;
      case "ended":
      case "before":
        comparison.recorded(entry.kind, entry.id, entry.digest, at);
        return;
      case "late":
        comparison.answeredLate(entry.id, entry.digest, at);
        return;
      case "removed":
        removed += 1;
        if (!comparison.removed(entry.id)) olderRemovals += 1;
        return;
      case "folded":
        lastFolded = entry;
        return;
      case "repaired":
        repaired = { at: entry.at ?? at, kept: entry.kept, lost: entry.lost, changed: entry.changed, head: entry.head };
        return;
    }
  }
}

/** Whether the link follows from the one before it. */
function checkLink(link: Link, before: Link | undefined): readonly Break[] {
  const { seq, at } = link;
  const expected = (before?.seq ?? 0) + 1;
  if (seq !== expected) {
    const gone = seq === expected + 1 ? `Link ${expected} is` : `The links ${expected} to ${seq - 1} are`;
    return [{ kind: "link", text: `${gone} gone from the chain, before ${at}.` }];
  }
  if (hashLink(before?.hash ?? NO_HASH, link) === link.hash) return [];
  return [{ kind: "link", text: `Link ${seq}, of ${at}, was changed, or the hash of the one before it was.` }];
}

/** Whether the chain has a beginning, and if its first links were folded, whether a later link says so. */
function checkStart(first: Link | undefined, lastFolded: Folded | undefined, olderRemovals: number): readonly Break[] {
  if (first === undefined) return [{ kind: "link", text: "There is no link: the chain was removed." }];
  const base = parseFoldedLinks(first);
  const start = base ?? { seq: 0, hash: NO_HASH, calls: 0, removals: 0 };
  const isSaid =
    base === undefined ||
    (first.hash === base.hash &&
      first.seq === base.seq &&
      lastFolded?.seq === base.seq &&
      lastFolded.hash === base.hash &&
      lastFolded.calls === base.calls &&
      lastFolded.removals === base.removals);
  if (!isSaid) return [{ kind: "link", text: `The chain begins with link ${first.seq}, and no later link says why.` }];
  const missing = start.calls - start.removals;
  if (olderRemovals === missing) return [];
  const removals = olderRemovals === 1 ? "1 call" : `${olderRemovals} calls`;
  const text = `The chain records the removal of ${removals} whose end it does not show; it should be ${missing}.`;
  return [{ kind: "link", text }];
}

/** Calls without any entry. Looked for only if something is broken, or the numbers do not agree. */
function findUnrecorded(database: DatabaseSyncInstance): readonly Break[] {
  const recorded = new Set<string>();
  const links: Iterable<Link> = database.prepare(LINKS).iterate();
  for (const link of links)
    for (const entry of parseEntries(link)) if (entry !== undefined && "digest" in entry) recorded.add(entry.id);
  const breaks: Break[] = [];
  const calls: Iterable<LoggedCall> = database.prepare(ENDED).iterate();
  const text = "It is not in the chain: something other than Tacklebox added it, or changed its id.";
  for (const row of calls) {
    if (!recorded.has(row.id)) breaks.push({ kind: "unrecorded", text, call: describeCall(row) });
  }
  return breaks;
}
