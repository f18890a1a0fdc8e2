import type * as z from "zod/mini";
import type { JsonObject } from "../json/json.ts";
import { list, object, optional, string } from "../json/schema.ts";
import { Era } from "./server.ts";

export const InventoryTool = object({
  name: string,
  /** The tool's fingerprint when it was first used; a different one now means that the tool changed. */
  fingerprint: string,
});
export type InventoryTool = z.infer<typeof InventoryTool>;

/** What a server offered when it was last used. */
export const ServerInventory = object({
  scope: string,
  server: string,
  era: optional(Era),
  tools: list(InventoryTool),
});
export type ServerInventory = z.infer<typeof ServerInventory>;

/** What a server says about a tool, or about itself, that no person has been shown as it is now. */
export interface UnseenDefinition {
  readonly scope: string;
  readonly server: string;
  /** The server's own name for the tool; absent for the server's instructions. */
  readonly tool?: string;
  /** Absent for the server's instructions. */
  readonly shownName?: string;
  readonly definition: JsonObject;
  /** What a person was shown before, if there was something else. */
  readonly before?: JsonObject;
}

/** A definition that a person was shown. */
export interface ShownDefinition {
  readonly scope: string;
  /** As in grants: servers of sessions are told apart by their launch. */
  readonly server: string;
  /** Empty for the server's instructions. */
  readonly tool: string;
  readonly definition: JsonObject;
}
