import { comparePin, type PinState } from "../domain/grant.ts";
import type { ServerInventory } from "../domain/inventory.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { ToolListing, ToolRef } from "../domain/tool.ts";
import type { Hasher } from "../ports/hasher.ts";
import type { KnownSecrets } from "../ports/known-secrets.ts";
import { createFingerprinter, inventoryKey } from "./fingerprint.ts";
import { screenListing } from "./screen-listing.ts";

/** Every tool of every known server, and the definition of each that was accepted. */
export interface Catalog {
  /** Sets what the last successful start saw. A replaced server keeps its current tools until its next listing. */
  remember(definition: ServerDefinition, inventory: ServerInventory | undefined): void;
  setListing(definition: ServerDefinition, listing: ToolListing): Promise<void>;
  /** Without tools that hold a secret, even one that became known only after the tool was listed. */
  listingOf(definition: ServerDefinition): ToolListing | undefined;
  /** Changes when a listing may have changed because another secret is known. */
  secretsVersion(): number;
  /** Tool names known before the current listing; undefined if this server was never seen. */
  knownNames(definition: ServerDefinition): ReadonlySet<string> | undefined;
  /** Tool names of the last successful start, whatever was listed since; undefined if there was none. */
  namesOfLastTime(definition: ServerDefinition): ReadonlySet<string> | undefined;
  /** Makes the current listing the known one. */
  markKnown(definition: ServerDefinition): void;
  pinOf(ref: ToolRef): PinState;
  /** Accepts the current definition of a tool. */
  accept(ref: ToolRef): void;
  /** Drops everything known about a server that was removed or replaced. */
  forget(definition: ServerDefinition): void;
  toInventory(definition: ServerDefinition): Promise<ServerInventory>;
}

interface CatalogEntry {
  listing: ToolListing | undefined;
  screened?: { readonly of: ToolListing; readonly version: number; readonly listing: ToolListing };
  known: ReadonlySet<string> | undefined;
  lastTime: ReadonlySet<string> | undefined;
  agreed: Map<string, string>;
  /** Set between `remember` and the next listing. */
  remembered?: { readonly known: ReadonlySet<string> | undefined; readonly agreed: Map<string, string> } | undefined;
  fingerprints: ReadonlyMap<string, string>;
}

export function createCatalog(hasher: Hasher, { redact, holderOf, version }: Omit<KnownSecrets, "add">): Catalog {
  /** By scope, then server. */
  const entries = new Map<string, Map<string, CatalogEntry>>();

  function entryOf(scope: string, server: string): CatalogEntry {
    return entries.get(scope)?.get(server) ?? addEntry(scope, server);
  }

  function addEntry(scope: string, server: string): CatalogEntry {
    const entry: CatalogEntry = {
      listing: undefined,
      known: undefined,
      lastTime: undefined,
      agreed: new Map(),
      fingerprints: new Map(),
    };
    const ofScope = entries.get(scope) ?? new Map<string, CatalogEntry>();
    entries.set(scope, ofScope.set(server, entry));
    return entry;
  }

  function screen(entry: CatalogEntry): ToolListing | undefined {
    const { listing, screened } = entry;
    if (listing === undefined) return undefined;
    if (screened?.of === listing && screened.version === version()) return screened.listing;
    entry.screened = { of: listing, version: version(), listing: screenListing(listing, redact, holderOf) };
    return entry.screened.listing;
  }

  return {
    remember({ scope, key }, inventory) {
      const tools = inventory?.tools ?? [];
      const known = inventory === undefined ? undefined : new Set(tools.map(({ name }) => name));
      const entry = entryOf(scope, key);
      entry.lastTime = known;
      entry.remembered = {
        known,
        agreed: new Map(tools.map(({ name, fingerprint }) => [name, fingerprint])),
      };
    },
    async setListing({ scope, key, launch }, listing) {
      const fingerprintOf = createFingerprinter(launch, hasher);
      const digests = await Promise.all(listing.tools.map(fingerprintOf));
      const fingerprints = new Map(listing.tools.map(({ name }, index) => [name, digests[index] ?? ""]));
      const entry = entryOf(scope, key);
      Object.assign(entry, entry.remembered, { remembered: undefined });
      entry.listing = listing;
      entry.fingerprints = fingerprints;
      for (const [name, fingerprint] of fingerprints) if (!entry.agreed.has(name)) entry.agreed.set(name, fingerprint);
    },
    listingOf: ({ scope, key }) => screen(entryOf(scope, key)),
    secretsVersion: version,
    knownNames: ({ scope, key }) => entryOf(scope, key).known,
    namesOfLastTime: ({ scope, key }) => entryOf(scope, key).lastTime,
    markKnown({ scope, key }) {
      const entry = entryOf(scope, key);
      entry.known = new Set(screen(entry)?.tools.map(({ name }) => name));
    },
    pinOf({ scope, server, name }) {
      const entry = entryOf(scope, server);
      const fingerprint = entry.fingerprints.get(name);
      if (fingerprint === undefined) return { kind: "new", fingerprint: "" };
      return comparePin(fingerprint, entry.agreed.get(name));
    },
    accept({ scope, server, name }) {
      const entry = entryOf(scope, server);
      const fingerprint = entry.fingerprints.get(name);
      if (fingerprint !== undefined) entry.agreed.set(name, fingerprint);
    },
    forget({ scope, key }) {
      entries.get(scope)?.delete(key);
    },
    async toInventory(definition) {
      const { scope, key } = definition;
      const entry = entryOf(scope, key);
      const tools = (screen(entry)?.tools ?? []).map(({ name }) => ({
        name,
        fingerprint: entry.agreed.get(name) ?? entry.fingerprints.get(name) ?? "",
      }));
      return { scope, server: await inventoryKey(definition, hasher), tools };
    },
  };
}
