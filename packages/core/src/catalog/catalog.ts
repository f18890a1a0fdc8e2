import { comparePin, type PinState } from "../domain/grant.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { ToolListing, ToolRef } from "../domain/tool.ts";
import type { Hasher } from "../ports/hasher.ts";
import type { ServerInventory } from "../ports/store.ts";
import { createFingerprinter, inventoryKey } from "./fingerprint.ts";

/** Every tool of every known server, and what was agreed to about each. */
export interface Catalog {
  /** What the last successful start saw. Counts from the next listing on, so that a replaced server keeps its tools until then. */
  remember(definition: ServerDefinition, inventory: ServerInventory | undefined): void;
  setListing(definition: ServerDefinition, listing: ToolListing): Promise<void>;
  listingOf(definition: ServerDefinition): ToolListing | undefined;
  /** Names known before the present listing; undefined when this server was never seen. */
  knownNames(definition: ServerDefinition): ReadonlySet<string> | undefined;
  /** From now on the present listing is what is known. */
  settle(definition: ServerDefinition): void;
  pinOf(ref: ToolRef): PinState;
  /** Accepts the present definition of a tool. */
  agree(ref: ToolRef): void;
  /** The server is gone, or is no longer the same. */
  forget(definition: ServerDefinition): void;
  toInventory(definition: ServerDefinition): Promise<ServerInventory>;
}

interface Shelf {
  listing: ToolListing | undefined;
  known: ReadonlySet<string> | undefined;
  agreed: Map<string, string>;
  /** Set between `remember` and the next listing. */
  remembered?: { readonly known: ReadonlySet<string> | undefined; readonly agreed: Map<string, string> } | undefined;
  fingerprints: ReadonlyMap<string, string>;
}

export function createCatalog(hasher: Hasher): Catalog {
  /** By scope, then server. */
  const shelves = new Map<string, Map<string, Shelf>>();

  function shelfOf(scope: string, server: string): Shelf {
    return shelves.get(scope)?.get(server) ?? addShelf(scope, server);
  }

  function addShelf(scope: string, server: string): Shelf {
    const shelf: Shelf = { listing: undefined, known: undefined, agreed: new Map(), fingerprints: new Map() };
    const ofScope = shelves.get(scope) ?? new Map<string, Shelf>();
    shelves.set(scope, ofScope.set(server, shelf));
    return shelf;
  }

  return {
    remember({ scope, key }, inventory) {
      const tools = inventory?.tools ?? [];
      shelfOf(scope, key).remembered = {
        known: inventory === undefined ? undefined : new Set(tools.map(({ name }) => name)),
        agreed: new Map(tools.map(({ name, fingerprint }) => [name, fingerprint])),
      };
    },
    async setListing({ scope, key, launch }, listing) {
      const fingerprintOf = createFingerprinter(launch, hasher);
      const digests = await Promise.all(listing.tools.map(fingerprintOf));
      const fingerprints = new Map(listing.tools.map(({ name }, index) => [name, digests[index] ?? ""]));
      const shelf = shelfOf(scope, key);
      Object.assign(shelf, shelf.remembered, { remembered: undefined });
      shelf.listing = listing;
      shelf.fingerprints = fingerprints;
      for (const [name, fingerprint] of fingerprints) if (!shelf.agreed.has(name)) shelf.agreed.set(name, fingerprint);
    },
    listingOf: ({ scope, key }) => shelfOf(scope, key).listing,
    knownNames: ({ scope, key }) => shelfOf(scope, key).known,
    settle({ scope, key }) {
      const shelf = shelfOf(scope, key);
      shelf.known = new Set(shelf.listing?.tools.map(({ name }) => name));
    },
    pinOf({ scope, server, name }) {
      const shelf = shelfOf(scope, server);
      const fingerprint = shelf.fingerprints.get(name);
      if (fingerprint === undefined) return { kind: "new", fingerprint: "" };
      return comparePin(fingerprint, shelf.agreed.get(name));
    },
    agree({ scope, server, name }) {
      const shelf = shelfOf(scope, server);
      const fingerprint = shelf.fingerprints.get(name);
      if (fingerprint !== undefined) shelf.agreed.set(name, fingerprint);
    },
    forget({ scope, key }) {
      shelves.get(scope)?.delete(key);
    },
    async toInventory(definition) {
      const { scope, key } = definition;
      const shelf = shelfOf(scope, key);
      const tools = [...shelf.fingerprints].map(([name, fingerprint]) => ({
        name,
        fingerprint: shelf.agreed.get(name) ?? fingerprint,
      }));
      return { scope, server: await inventoryKey(definition, hasher), tools };
    },
  };
}
