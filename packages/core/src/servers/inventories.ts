import type { Catalog, RememberedServer } from "../catalog/catalog.ts";
import { inventoryName } from "../catalog/fingerprint.ts";
import type { AcceptedDefinition } from "../domain/inventory.ts";
import type { Era, ServerDefinition } from "../domain/server.ts";
import type { Hasher } from "../ports/hasher.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import type { ServerEntry } from "./servers.ts";

/** What was stored about servers when they were last used, and is compared with what they offer now. */
export interface Inventories {
  recall(definition: ServerDefinition): Promise<{
    readonly remembered?: RememberedServer;
    /** The generation of MCP that a server spoke which was reached in this way. */
    readonly era?: Era | undefined;
  }>;
  /** Saves each listed server's tools for the next start. A failed save is logged and stops nothing. */
  save(entries: readonly ServerEntry[], catalog: Catalog): Promise<void>;
  /** Takes over what another process has accepted since, such as `trust` in another terminal. */
  refresh(entries: readonly ServerEntry[], catalog: Catalog): Promise<void>;
  /** The definitions that were accepted of a server's tools, as far as they are stored. */
  definitions(definition: ServerDefinition): Promise<readonly AcceptedDefinition[]>;
}

export interface InventoriesDeps {
  readonly store: Pick<Store, "inventory">;
  readonly hasher: Hasher;
  readonly logger: Logger;
  /** Where the configuration comes from; see EngineConfig. */
  readonly source: string | undefined;
}

export function createInventories({ store, hasher, logger, source }: InventoriesDeps): Inventories {
  const nameOf = (definition: ServerDefinition) => inventoryName(definition, source, hasher);

  async function saveOne({ definition, link }: ServerEntry, catalog: Catalog): Promise<void> {
    catalog.markKnown(definition);
    const era = link?.status().info?.era;
    const { tools, unsaved } = catalog.toInventory(definition);
    try {
      const name = await nameOf(definition);
      await store.inventory.save({ ...name, ...(era !== undefined && { era }), tools }, unsaved);
      catalog.markSaved(definition, unsaved);
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      logger.log("warn", `The tool inventory of '${definition.name}' could not be saved: ${detail}`);
    }
  }

  return {
    async recall(definition) {
      const name = await nameOf(definition);
      const inventory = await store.inventory.load(name);
      if (inventory === undefined) return {};
      const { tools, launch, server } = inventory;
      // Found by its launch: it is of a config that was moved, or of a version that named inventories by launch.
      const unsaved = server === name.server ? [] : await store.inventory.definitions(name);
      return { remembered: { tools, unsaved }, era: launch === name.launch ? inventory.era : undefined };
    },
    async save(entries, catalog) {
      await Promise.all(listed(entries, catalog).map((entry) => saveOne(entry, catalog)));
    },
    async refresh(entries, catalog) {
      await Promise.all(
        listed(entries, catalog).map(async ({ definition }) => {
          const inventory = await store.inventory.load(await nameOf(definition));
          if (inventory !== undefined) catalog.adopt(definition, inventory.tools);
        }),
      );
    },
    definitions: async (definition) => store.inventory.definitions(await nameOf(definition)),
  };
}

function listed(entries: readonly ServerEntry[], catalog: Catalog): readonly ServerEntry[] {
  return entries.filter(
    ({ definition }) => definition.scope !== "local" && catalog.listingOf(definition) !== undefined,
  );
}
