import type { Catalog } from "../catalog/catalog.ts";
import { inventoryKey } from "../catalog/fingerprint.ts";
import type { Era, Scope, ServerDefinition } from "../domain/server.ts";
import { canonicalJson } from "../json/json.ts";
import type { Hasher } from "../ports/hasher.ts";
import type { ServerInventory } from "../ports/store.ts";
import type { ManagedLink } from "./link/server-link.ts";

export interface ServerEntry {
  /** The present one: governance may change without a new connection. */
  readonly definition: ServerDefinition;
  /** Absent while the server is disabled. */
  readonly link?: ManagedLink;
}

export interface ServerChange {
  readonly kind: "added" | "removed" | "reconnected" | "governed";
  readonly definition: ServerDefinition;
}

/** Every server of the engine, in configuration order, each with its one link. */
export interface Servers {
  list(): readonly ServerEntry[];
  find(scope: Scope, key: string): ServerEntry | undefined;
  /** By key alone, as people name servers. */
  named(key: string): ServerEntry | undefined;
  /** Becomes this list at once; servers whose connection settings are the same keep their connection. */
  become(definitions: readonly ServerDefinition[]): Promise<readonly ServerChange[]>;
  /** Settles when links that were replaced or removed have let their calls end and are closed. */
  settled(): Promise<void>;
  /** Closes every link for good, also those that would let their calls end. */
  end(): Promise<void>;
}

/** What is known about a server from the last time it was used, under the name that its launch gives it. */
export type Recall = (
  scope: Scope,
  inventoryKey: string,
) => Promise<{ readonly inventory?: ServerInventory | undefined; readonly era?: Era | undefined }>;

export interface ServersDeps {
  readonly catalog: Catalog;
  readonly hasher: Hasher;
  readonly recall: Recall;
  readonly createLink: (definition: ServerDefinition, knownEra: Era | undefined) => ManagedLink;
}

export function createServers({ catalog, hasher, recall, createLink }: ServersDeps): Servers {
  let entries: ReadonlyMap<string, ServerEntry> = new Map();
  /** The same by scope, then key: every call looks its server up, and joining two names costs more than looking up both. */
  let byScope: ReadonlyMap<string, ReadonlyMap<string, ServerEntry>> = new Map();
  const leaving = new Map<ManagedLink, Promise<void>>();

  async function open(definition: ServerDefinition): Promise<ServerEntry> {
    if (!definition.enabled) return { definition };
    const { inventory, era } = await recall(definition.scope, await inventoryKey(definition, hasher));
    catalog.remember(definition, inventory);
    return { definition, link: createLink(definition, era) };
  }

  function retire({ link }: ServerEntry): void {
    if (link === undefined) return;
    leaving.set(
      link,
      link.retire().finally(() => leaving.delete(link)),
    );
  }

  async function become(definitions: readonly ServerDefinition[]): Promise<readonly ServerChange[]> {
    const next = new Map<string, ServerEntry>();
    const changes: ServerChange[] = [];
    const replaced: ServerEntry[] = [];
    for (const definition of definitions) {
      const before = entries.get(keyOf(definition));
      if (before !== undefined && sameConnection(before.definition, definition)) {
        next.set(keyOf(definition), { ...before, definition });
        if (!sameJson(before.definition, definition)) changes.push({ kind: "governed", definition });
        continue;
      }
      if (before !== undefined) replaced.push(before);
      next.set(keyOf(definition), await open(definition));
      changes.push({ kind: before === undefined ? "added" : "reconnected", definition });
    }
    for (const [key, entry] of entries) {
      if (next.has(key)) continue;
      replaced.push(entry);
      changes.push({ kind: "removed", definition: entry.definition });
    }
    entries = next;
    byScope = groupByScope(next.values());
    for (const { kind, definition } of changes)
      if (kind === "removed" || !definition.enabled) catalog.forget(definition);
    for (const entry of replaced) retire(entry);
    return changes;
  }

  return {
    list: () => [...entries.values()],
    find: (scope, key) => byScope.get(scope)?.get(key),
    named: (key) => [...entries.values()].find(({ definition }) => definition.key === key),
    become,
    settled: async () => {
      await Promise.all(leaving.values());
    },
    async end() {
      const present = [...entries.values()].flatMap(({ link }) => link ?? []);
      await Promise.all([...present, ...leaving.keys()].map((link) => link.end()));
    },
  };
}

function keyOf({ scope, key }: ServerDefinition): string {
  return `${scope}/${key}`;
}

function groupByScope(entries: Iterable<ServerEntry>): ReadonlyMap<string, ReadonlyMap<string, ServerEntry>> {
  const groups = new Map<string, Map<string, ServerEntry>>();
  for (const entry of entries) {
    const { scope, key } = entry.definition;
    const group = groups.get(scope) ?? new Map<string, ServerEntry>();
    groups.set(scope, group.set(key, entry));
  }
  return groups;
}

/** Everything else about a server is governance and takes effect without touching its connection. */
function sameConnection(a: ServerDefinition, b: ServerDefinition): boolean {
  const connection = ({ launch, protocol, timeoutMs, retryAttempts, reconnect, enabled }: ServerDefinition) => ({
    launch,
    protocol,
    timeoutMs,
    retryAttempts,
    reconnect,
    enabled,
  });
  return sameJson(connection(a), connection(b));
}

function sameJson(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
