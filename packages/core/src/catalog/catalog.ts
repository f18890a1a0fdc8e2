import type { PinState } from "../domain/grant.ts";
import type { AcceptedDefinition, ChangedTool, InventoryTool, ServerInventory } from "../domain/inventory.ts";
import type { Launch } from "../domain/launch.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { Tool, ToolListing, ToolRef } from "../domain/tool.ts";
import type { JsonObject } from "../json/json.ts";
import type { Hasher } from "../ports/hasher.ts";
import type { KnownSecrets, Redactor } from "../ports/known-secrets.ts";
import { redactJson } from "../secrets/redact.ts";
import { createFingerprinter, definitionFingerprint, writeDefinition } from "./fingerprint.ts";
import { screenListing } from "./screen-listing.ts";

/** Every tool of every known server, and the definition of each that was accepted. */
export interface Catalog {
  /** Sets what the last successful start saw. A replaced server keeps its current tools until its next listing. */
  remember(definition: ServerDefinition, remembered: RememberedServer | undefined): void;
  setListing(definition: ServerDefinition, listing: ToolListing): Promise<void>;
  /** Without tools that hold a secret, even one that became known only after the tool was listed. */
  listingOf(definition: ServerDefinition): ToolListing | undefined;
  /** Changes when a listing may have changed because another secret is known. */
  secretsVersion(): number;
  /** What a server offers, and what it offered before. */
  known(definition: ServerDefinition): KnownTools;
  /** Tool names of the last successful start, whatever was listed since; undefined if there was none. */
  namesOfLastTime(definition: ServerDefinition): ReadonlySet<string> | undefined;
  /** Makes the current listing the known one. */
  markKnown(definition: ServerDefinition): void;
  pinOf(ref: ToolRef): PinState;
  /** The tools whose definition is not the accepted one. `before` is absent if it has not been in use here. */
  changedTools(definition: ServerDefinition): readonly ChangedTool[];
  /** Accepts the definition with this fingerprint; returns false if it is not the one the tool has now. */
  accept(ref: ToolRef, fingerprint: string): boolean;
  /** Takes over what was accepted elsewhere and saved. What was accepted here and is not saved yet stays. */
  adopt(definition: ServerDefinition, tools: readonly InventoryTool[]): void;
  /** Drops everything known about a server that was removed or disabled. */
  forget(definition: ServerDefinition): void;
  toInventory(definition: ServerDefinition): CatalogInventory;
  /** Notes that these definitions were saved. */
  markSaved(definition: ServerDefinition, saved: readonly AcceptedDefinition[]): void;
}

export interface KnownTools {
  readonly definition: ServerDefinition;
  readonly listing: ToolListing | undefined;
  /** Tool names known before the current listing; undefined if this server was never seen. */
  readonly knownNames: ReadonlySet<string> | undefined;
  /** Names of all tools that the server is known to have had before the current listing, however long ago. */
  readonly namesEverKnown: ReadonlySet<string>;
  readonly namesOfLastTime: ReadonlySet<string> | undefined;
}

export interface RememberedServer extends Pick<ServerInventory, "tools"> {
  /** Definitions that have yet to be saved for this server, as they were found with another one. */
  readonly unsaved: readonly AcceptedDefinition[];
}

export interface CatalogInventory extends Pick<ServerInventory, "tools"> {
  /** Accepted definitions that were not saved yet. */
  readonly unsaved: readonly AcceptedDefinition[];
}

interface Accepted {
  readonly fingerprint: string;
  /** Known once the tool was listed as it was accepted. */
  readonly definition?: JsonObject | undefined;
  readonly isSaved: boolean;
}

interface CatalogEntry {
  listing: ToolListing | undefined;
  screened?: { readonly of: ToolListing; readonly version: number; readonly listing: ToolListing };
  known: ReadonlySet<string> | undefined;
  everKnown: ReadonlySet<string>;
  lastTime: ReadonlySet<string> | undefined;
  accepted: Map<string, Accepted>;
  /** Set between `remember` and the next listing. */
  remembered?: Pick<CatalogEntry, "known" | "everKnown" | "accepted"> | undefined;
  /** By tool. */
  fingerprints: ReadonlyMap<string, Fingerprints>;
}

interface Fingerprints {
  readonly definition: string;
  /** Also covers how the server is reached, as grants do. */
  readonly withLaunch: string;
}

/**
 * How many accepted definitions are kept of tools that a server does not list. Those that were accepted first stay: a
 * server must not be able to push them out by listing others.
 */
const MAX_AWAY = 1_000;

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
      everKnown: new Set(),
      lastTime: undefined,
      accepted: new Map(),
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
    remember({ scope, key }, remembered) {
      const tools = remembered?.tools ?? [];
      const listed = tools.filter(({ isAway }) => isAway !== true);
      const known = remembered === undefined ? undefined : new Set(listed.map(({ name }) => name));
      const entry = entryOf(scope, key);
      entry.lastTime = known;
      entry.remembered = {
        known,
        everKnown: new Set([...entry.everKnown, ...tools.map(({ name }) => name)]),
        // A tool that appeared while we ran is not saved, but was accepted as well.
        accepted: new Map([...entry.accepted, ...acceptedOf(remembered)]),
      };
    },
    async setListing({ scope, key, launch }, listing) {
      const fingerprints = await digestTools(listing.tools, launch, hasher);
      const entry = entryOf(scope, key);
      Object.assign(entry, entry.remembered, { remembered: undefined, listing, fingerprints });
      for (const { name, raw } of listing.tools) {
        const now = fingerprints.get(name);
        const accepted = entry.accepted.get(name);
        if (now === undefined) continue;
        // Inventories used to hold digests that include the launch.
        if (accepted === undefined || accepted.fingerprint === now.withLaunch)
          entry.accepted.set(name, { fingerprint: now.definition, definition: raw, isSaved: false });
        else if (accepted.fingerprint === now.definition && accepted.definition === undefined)
          entry.accepted.set(name, { ...accepted, definition: raw });
      }
    },
    listingOf: ({ scope, key }) => screen(entryOf(scope, key)),
    secretsVersion: version,
    known(definition) {
      const entry = entryOf(definition.scope, definition.key);
      return {
        definition,
        listing: screen(entry),
        knownNames: entry.known,
        namesEverKnown: entry.everKnown,
        namesOfLastTime: entry.lastTime,
      };
    },
    namesOfLastTime: ({ scope, key }) => entryOf(scope, key).lastTime,
    markKnown({ scope, key }) {
      const entry = entryOf(scope, key);
      entry.known = new Set(screen(entry)?.tools.map(({ name }) => name));
      entry.everKnown = new Set([...entry.everKnown, ...entry.known]);
    },
    pinOf({ scope, server, name }) {
      const entry = entryOf(scope, server);
      const fingerprints = entry.fingerprints.get(name);
      if (fingerprints === undefined) return { kind: "new", fingerprint: "" };
      const isSame = entry.accepted.get(name)?.fingerprint === fingerprints.definition;
      return { kind: isSame ? "same" : "changed", fingerprint: fingerprints.withLaunch };
    },
    changedTools({ scope, key }) {
      const entry = entryOf(scope, key);
      return changedIn(entry, screen(entry)?.tools ?? []);
    },
    accept({ scope, server, name }, fingerprint) {
      const entry = entryOf(scope, server);
      const tool = entry.listing?.tools.find((listed) => listed.name === name);
      if (tool === undefined || entry.fingerprints.get(name)?.definition !== fingerprint) return false;
      entry.accepted.set(name, { fingerprint, definition: tool.raw, isSaved: false });
      return true;
    },
    adopt({ scope, key }, tools) {
      const { accepted } = entryOf(scope, key);
      for (const { name, fingerprint } of tools) {
        const known = accepted.get(name);
        if (known?.isSaved === true && known.fingerprint !== fingerprint)
          accepted.set(name, { fingerprint, isSaved: true });
      }
    },
    forget({ scope, key }) {
      entries.get(scope)?.delete(key);
    },
    toInventory({ scope, key }) {
      const entry = entryOf(scope, key);
      return inventoryOf(entry, screen(entry)?.tools ?? [], redact);
    },
    markSaved({ scope, key }, saved) {
      const { accepted } = entryOf(scope, key);
      for (const { tool, fingerprint } of saved) {
        const known = accepted.get(tool);
        if (known?.fingerprint === fingerprint) accepted.set(tool, { ...known, isSaved: true });
      }
    },
  };
}

function acceptedOf(remembered: RememberedServer | undefined): readonly (readonly [string, Accepted])[] {
  if (remembered === undefined) return [];
  const unsaved = new Map(remembered.unsaved.map(({ tool, definition }) => [tool, definition]));
  return remembered.tools.map(({ name, fingerprint }) => {
    const definition = unsaved.get(name);
    return [name, { fingerprint, definition, isSaved: definition === undefined }];
  });
}

/** In the order in which tools were accepted, so that what came later is dropped first. What holds a secret is left out. */
function inventoryOf(
  { accepted, fingerprints }: CatalogEntry,
  usable: readonly Tool[],
  redact: Redactor,
): CatalogInventory {
  const listed = new Map(usable.map(({ name, raw }) => [name, raw]));
  const tools: InventoryTool[] = [];
  const unsaved: AcceptedDefinition[] = [];
  let away = 0;
  for (const [name, { fingerprint, definition, isSaved }] of accepted) {
    const raw = listed.get(name);
    const now = fingerprints.get(name);
    if (raw === undefined) {
      const isSetAside = now !== undefined;
      away += 1;
      if (away > MAX_AWAY || redact(name) !== name || (isSetAside && !isSaved)) continue;
    }
    tools.push({ name, fingerprint, ...(raw === undefined && { isAway: true }) });
    const kept = now?.definition === fingerprint ? raw : definition && redactJson(redact, definition);
    if (!isSaved && kept !== undefined) unsaved.push({ tool: name, fingerprint, definition: kept });
  }
  return { tools, unsaved };
}

async function digestTools(
  tools: readonly Tool[],
  launch: Launch,
  hasher: Hasher,
): Promise<ReadonlyMap<string, Fingerprints>> {
  const withLaunch = createFingerprinter(launch, hasher);
  const digested = await Promise.all(
    tools.map(async (tool) => {
      // Written once for both: lists may have thousands of tools.
      const written = writeDefinition(tool);
      const definition = await definitionFingerprint(written, hasher);
      return [tool.name, { definition, withLaunch: await withLaunch(tool, written) }] as const;
    }),
  );
  return new Map(digested);
}

function changedIn({ accepted, fingerprints }: CatalogEntry, usable: readonly Tool[]): readonly ChangedTool[] {
  return usable.flatMap(({ name, raw }): ChangedTool[] => {
    const fingerprint = fingerprints.get(name)?.definition;
    const agreed = accepted.get(name);
    if (fingerprint === undefined || agreed?.fingerprint === fingerprint) return [];
    const before = agreed?.definition;
    return [{ tool: name, fingerprint, ...(before !== undefined && { before }), definition: raw }];
  });
}
