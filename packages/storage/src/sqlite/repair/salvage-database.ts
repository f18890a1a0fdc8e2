import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import type { KnownMember } from "@tacklebox/core";
import { beginChain } from "../chain/begin-chain.ts";
import { toRepairedEntry } from "../chain/link.ts";
import type { MembersTable } from "../tables.ts";
import { inTransaction } from "../writing/in-transaction.ts";
import { compareWithChain, type KnownCalls, readChain } from "./read-chain.ts";
import { salvageLooseCalls } from "./salvage-loose-calls.ts";
import { type SalvagedTable, salvageTable } from "./salvage-table.ts";

export interface Salvaged {
  readonly tables: readonly SalvagedTable[];
  /** Calls that the chain in the damaged file names and that could not be kept. */
  readonly lostCalls: number;
  /** Calls that were kept although they are not as that chain says. */
  readonly changedCalls: number;
  /** Processes that had the file open, as far as can be read. */
  readonly members: readonly KnownMember[];
}

/** Who had the file open means nothing in a new one, and a new chain begins. */
const NOT_COPIED: ReadonlySet<string> = new Set(["members", "call_links"]);

const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid";

/** Copies all that can be read from a damaged database into a new one, and begins a chain that says so. */
export function salvageDatabase(damagedCopy: string, newFile: string): Salvaged {
  const from = new DatabaseSync(damagedCopy, { enableForeignKeyConstraints: false });
  const to = new DatabaseSync(newFile, { enableForeignKeyConstraints: true });
  try {
    return inTransaction(to, () => {
      const names: readonly { readonly name: string }[] = to.prepare(TABLES).all();
      const known = readChain(from);
      const tables = names
        .filter(({ name }) => !NOT_COPIED.has(name))
        .map(({ name }) => salvageTable(from, to, name))
        .map((one) => (one.table === "calls" ? withLooseCalls(one, damagedCopy, to, known) : one));
      const { lost, changed } = compareWithChain(to, known);
      const kept = tables.find(({ table }) => table === "calls")?.kept ?? 0;
      beginChain(to, [toRepairedEntry({ kept, lost, changed, head: known.head })]);
      return { tables, lostCalls: lost, changedCalls: changed, members: readMembers(from) };
    });
  } finally {
    from.close();
    to.close();
  }
}

function withLooseCalls(
  reached: SalvagedTable,
  damagedCopy: string,
  to: DatabaseSyncInstance,
  known: KnownCalls,
): SalvagedTable {
  if (reached.isComplete) return reached;
  return { ...reached, kept: reached.kept + salvageLooseCalls(damagedCopy, to, known) };
}

function readMembers(database: DatabaseSyncInstance): readonly KnownMember[] {
  try {
    const rows: readonly MembersTable[] = database.prepare("SELECT * FROM members").all();
    return rows.map(({ id, host, pid, start, beat_at }) => ({
      id,
      host,
      pid,
      ...(start !== null && { start }),
      beatAt: beat_at,
    }));
  } catch {
    return [];
  }
}
