import type { Catalog, RememberedServer } from "../catalog/catalog.ts";
import type { Era, Scope, ServerDefinition } from "../domain/server.ts";
import { canonicalJson } from "../json/json.ts";
import type { ListedLink } from "./link/managed-link.ts";

export interface ServerEntry {
  /** The current definition: governance may change without a new connection. */
  readonly definition: ServerDefinition;
  /** Absent while the server is disabled. */
  readonly link?: ListedLink;
}

export interface ServerChange {
  readonly kind: "added" | "removed" | "reconnected" | "governed";
  readonly definition: ServerDefinition;
}

/** Every server of a set, in configuration order, each with its one link. */
export interface Servers {
  list(): readonly ServerEntry[];
  find(scope: Scope, key: string): ServerEntry | undefined;
  /** Finds a server by key alone, as people name servers. */
  named(key: string): ServerEntry | undefined;
  /** Replaces the list at once. Servers whose connection settings are unchanged keep their connection. */
  update(definitions: readonly ServerDefinition[]): Promise<readonly ServerChange[]>;
  /** Settles when every link that was replaced or removed has finished its calls and is closed. */
  settled(): Promise<void>;
  /** Closes every link for good, interrupting calls, including those of links that were being retired. */
  end(): Promise<void>;
}

/** Loads what is known about a server from the last time it was used. */
export type Recall = (
  definition: ServerDefinition,
) => Promise<{ readonly remembered?: RememberedServer | undefined; readonly era?: Era | undefined }>;

export interface ServersDeps {
  readonly catalog: Catalog;
  readonly recall: Recall;
  readonly createLink: (definition: ServerDefinition, knownEra: Era | undefined) => ListedLink;
}

export function createServers({ catalog, recall, createLink }: ServersDeps): Servers {
  let entries: ReadonlyMap<string, ServerEntry> = new Map();
  /** The same entries by scope, then key: every call looks its server up, and two lookups beat joining names. */
  let byScope: ReadonlyMap<string, ReadonlyMap<string, ServerEntry>> = new Map();
  const leaving = new Map<ListedLink, Promise<void>>();
  /** What disabled servers offered last time: it says whose a tool is that somebody calls. */
  const disabled = new WeakMap<ServerDefinition, RememberedServer | undefined>();

  async function open(definition: ServerDefinition): Promise<ServerEntry> {
    const { remembered, era } = await recall(definition);
    if (!definition.enabled) {
      disabled.set(definition, remembered);
      return { definition };
    }
    catalog.remember(definition, remembered);
    return { definition, link: createLink(definition, era) };
  }

  function retire({ link }: ServerEntry): void {
    if (link === undefined) return;
    leaving.set(
      link,
      link.retire().finally(() => leaving.delete(link)),
    );
  }

  async function update(definitions: readonly ServerDefinition[]): Promise<readonly ServerChange[]> {
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
    for (const { kind, definition } of changes) {
      if (kind === "removed" || (kind !== "governed" && !definition.enabled)) catalog.forget(definition);
      if (kind !== "removed" && disabled.has(definition)) catalog.remember(definition, disabled.get(definition));
    }
    for (const entry of replaced) retire(entry);
    return changes;
  }

  return {
    list: () => [...entries.values()],
    find: (scope, key) => byScope.get(scope)?.get(key),
    named: (key) => [...entries.values()].find(({ definition }) => definition.key === key),
    update,
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

/** Compares the connection settings only. Everything else is governance and takes effect without a new connection. */
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
