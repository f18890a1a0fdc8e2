import type { CallQuery, CallRecord } from "../../domain/call.ts";
import type { AcceptedDefinition, InventoryName, ServerInventory, ShownDefinition } from "../../domain/inventory.ts";
import type { HeldName } from "../../domain/tool.ts";
import type { KnownMember, MemberDeps } from "../../ports/members.ts";
import {
  AGE_SHARE,
  type CallLog,
  type Definitions,
  type Inventory,
  type Names,
  type PruneRule,
  type Store,
} from "../../ports/store.ts";
import { allDead, testMember } from "../test-member.ts";
import {
  createMemoryConversations,
  createMemoryEmbeddings,
  createMemoryGpts,
  createMemoryGrants,
  createMemorySessions,
  type MemoryConversations,
} from "./memory-conversations.ts";
import { createMemoryMembers, type MemoryMembers } from "./memory-members.ts";

export interface MemoryStoreOptions extends Partial<MemberDeps> {
  /** Makes a save fail with the error it returns, to test what happens when the log cannot be written. */
  readonly failSave?: (record: CallRecord) => Error | undefined;
}

/** Contents that several stores may share, as processes share a file. */
export interface MemoryContents extends MemoryConversations {
  readonly members: Map<string, KnownMember>;
  /** A Map keeps the position of a key that is set again, so its order is the order of first saves. */
  readonly calls: Map<string, CallRecord>;
  readonly inventories: Map<string, MemoryInventory>;
  /** By source. */
  readonly names: Map<string, readonly HeldName[]>;
  readonly definitions: Map<string, ShownDefinition>;
}

interface MemoryInventory {
  readonly inventory: ServerInventory;
  /** By tool. */
  readonly definitions: ReadonlyMap<string, AcceptedDefinition>;
}

export function createMemoryContents(): MemoryContents {
  return {
    members: new Map(),
    calls: new Map(),
    inventories: new Map(),
    names: new Map(),
    definitions: new Map(),
    ...createMemoryConversations(),
  };
}

/**
 * A store in memory. It keeps and returns copies, as a real one would. Unless `processes` is given, every other owner
 * counts as dead.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}, contents = createMemoryContents()): Store {
  const { member = testMember(), processes = allDead, now = () => 0 } = options;
  const members = createMemoryMembers({ member, processes, now }, contents.members);
  let open = true;
  const admit = () => {
    if (!open) throw new Error("The store is closed; open it again to write to it.");
    members.admit();
  };
  const grants = createMemoryGrants(contents, admit);
  return {
    members,
    calls: createMemoryCalls({ ...options, now }, contents, members, admit),
    inventory: createMemoryInventory(contents, admit),
    names: createMemoryNames(contents, admit),
    definitions: createMemoryDefinitions(contents, admit),
    sessions: createMemorySessions(contents, grants, admit),
    grants,
    gpts: createMemoryGpts(contents, admit),
    embeddings: createMemoryEmbeddings(contents, admit),
    async close() {
      if (open) members.leave();
      open = false;
    },
  };
}

function createMemoryCalls(
  { now, failSave }: Pick<MemberDeps, "now"> & Pick<MemoryStoreOptions, "failSave">,
  contents: MemoryContents,
  { gone, isDeadNonMember: isDeadStranger }: MemoryMembers,
  admit: () => void,
): CallLog {
  const rows = contents.calls;

  return {
    async save(record) {
      admit();
      const failure = failSave?.(record);
      if (failure) throw failure;
      const known = rows.get(record.id);
      if (known && !isUnfinished(known)) return;
      rows.set(record.id, structuredClone(record));
    },
    async noteLateAnswer(id, at) {
      admit();
      const known = rows.get(id);
      if (known?.status === "error") rows.set(id, { ...known, lateAnswerAt: at });
    },
    async load(id) {
      return structuredClone(rows.get(id));
    },
    async list(query) {
      const newestFirst = olderThan([...rows.values()].reverse(), query.after);
      const found = newestFirst.filter((record) => matches(record, query));
      return structuredClone(found.slice(0, Math.max(0, query.limit)));
    },
    async recover() {
      const dead = new Set(gone().map(({ id }) => id));
      const orphans = [...rows.values()].filter(
        (record) => isUnfinished(record) && (dead.has(record.owner) || isDeadStranger(record.owner)),
      );
      if (dead.size + orphans.length === 0) return 0;
      admit();
      for (const id of dead) contents.members.delete(id);
      for (const orphan of orphans) rows.set(orphan.id, toInterrupted(orphan, new Date(now()).toISOString()));
      return orphans.length;
    },
    async newestBefore(time) {
      return [...rows.values()].findLast(({ startedAt }) => startedAt < time)?.startedAt;
    },
    async prune(rule) {
      const records = [...rows.values()];
      const firstYoung = firstYoungOf(records, rule);
      const firstKept = Math.max(records.length - rule.keepAtMost, firstWithinBytes(records, rule.keepBytes));
      const isOld = ({ startedAt }: CallRecord) => rule.young !== undefined && startedAt < rule.young.from;
      const gone = records.filter(
        (record, place) => !isUnfinished(record) && (place < firstKept || (place < firstYoung && isOld(record))),
      );
      if (gone.length > 0) admit();
      for (const { id } of gone) rows.delete(id);
      return gone.length;
    },
  };
}

/** The place of the first call that is not too old, or that is beyond the share that may be removed. */
function firstYoungOf(records: readonly CallRecord[], { young }: PruneRule): number {
  const isYoung = ({ startedAt }: CallRecord) =>
    young === undefined || (startedAt >= young.from && startedAt <= young.until);
  const firstYoung = records.findIndex(isYoung);
  const most = Math.ceil(records.length * AGE_SHARE);
  return firstYoung === -1 ? most : Math.min(firstYoung, most);
}

function firstWithinBytes(records: readonly CallRecord[], keepBytes: number): number {
  const sizes = records.map((record) => JSON.stringify(record).length);
  let left = sizes.reduce((sum, size) => sum + size, 0);
  if (left <= keepBytes) return 0;
  let first = 0;
  while (first < records.length - 1 && left > keepBytes * 0.9) {
    left -= sizes[first] ?? 0;
    first += 1;
  }
  return first;
}

function isUnfinished(record: CallRecord): boolean {
  return record.status === "pending" || record.status === "running";
}

function olderThan(newestFirst: readonly CallRecord[], id: string | undefined): readonly CallRecord[] {
  if (id === undefined) return newestFirst;
  const place = newestFirst.findIndex((record) => record.id === id);
  return place < 0 ? [] : newestFirst.slice(place + 1);
}

function matches(record: CallRecord, query: CallQuery): boolean {
  if (query.server !== undefined && record.server !== query.server) return false;
  if (query.toolName !== undefined && record.toolName !== query.toolName) return false;
  if (query.idPrefix !== undefined && !record.id.startsWith(query.idPrefix)) return false;
  return query.status === undefined || record.status === query.status;
}

function toInterrupted(record: CallRecord, completedAt: string): CallRecord {
  const error =
    record.status === "pending"
      ? "The process that made this call ended before the call was made."
      : "The process that made this call ended before the answer came; it may have run.";
  return { ...record, status: "error", ending: "interrupted", error, completedAt, sent: record.status === "running" };
}

function createMemoryInventory({ inventories }: MemoryContents, admit: () => void): Inventory {
  const keyOf = ({ scope, server }: InventoryName) => JSON.stringify([scope, server]);
  const find = (name: InventoryName): MemoryInventory | undefined =>
    inventories.get(keyOf(name)) ??
    [...inventories.values()].findLast(
      ({ inventory }) => inventory.scope === name.scope && inventory.launch === name.launch,
    );

  return {
    async load(name) {
      return structuredClone(find(name)?.inventory);
    },
    async save(inventory, definitions) {
      admit();
      const key = keyOf(inventory);
      const kept = new Map(inventories.get(key)?.definitions ?? []);
      for (const each of definitions) kept.set(each.tool, structuredClone(each));
      const names = new Set(inventory.tools.map(({ name }) => name));
      for (const tool of kept.keys()) if (!names.has(tool)) kept.delete(tool);
      // Set anew, so that the last in the map is the one saved last.
      inventories.delete(key);
      inventories.set(key, { inventory: structuredClone(inventory), definitions: kept });
    },
    async definitions(name) {
      const { inventory, definitions } = find(name) ?? { inventory: { tools: [] }, definitions: new Map() };
      const found = inventory.tools.flatMap((tool) => {
        const accepted = definitions.get(tool.name);
        return accepted?.fingerprint === tool.fingerprint ? [accepted] : [];
      });
      return structuredClone(found);
    },
  };
}

function createMemoryNames({ names }: MemoryContents, admit: () => void): Names {
  return {
    async load(source) {
      return structuredClone(names.get(source) ?? []);
    },
    async keep(source, { added, removed }) {
      admit();
      const isKept = ({ ref }: HeldName) =>
        !removed.some(({ scope, server }) => scope === ref.scope && server === ref.server);
      const kept = (names.get(source) ?? []).filter(isKept);
      const taken = new Set(kept.map(({ name }) => name));
      names.set(source, [...kept, ...structuredClone(added.filter(({ name }) => !taken.has(name)))]);
    },
  };
}

function createMemoryDefinitions({ definitions }: MemoryContents, admit: () => void): Definitions {
  return {
    async load(scope, server) {
      const found = [...definitions.values()].filter((row) => row.scope === scope && row.server === server);
      return structuredClone(found);
    },
    async save(rows) {
      admit();
      for (const row of rows) definitions.set(JSON.stringify([row.scope, row.server, row.tool]), structuredClone(row));
    },
  };
}
