import type * as z from "zod/mini";
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
