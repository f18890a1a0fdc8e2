import * as z from "zod/mini";
import type { JsonObject } from "../json/json.ts";
import { list, object, optional, string } from "../json/schema.ts";
import { Era } from "./server.ts";

/** One tool of a server, with the definition that was accepted: at its first use, or later by a person. */
export const InventoryTool = object({
  name: string,
  /** The fingerprint of the accepted definition; a different one now means that the tool changed. */
  fingerprint: string,
  /** Set if the server did not list the tool when it was last used. What was accepted outlives its absence. */
  isAway: optional(z.literal(true)),
});
export type InventoryTool = z.infer<typeof InventoryTool>;

/** What a server offered when it was last used. */
export const ServerInventory = object({
  scope: string,
  /** The server's name, and the configuration it is in. */
  server: string,
  /** The server's name and a digest of how it was reached. */
  launch: string,
  era: optional(Era),
  tools: list(InventoryTool),
});
export type ServerInventory = z.infer<typeof ServerInventory>;

/** Which inventory is meant: that of this server in this configuration, or else of one reached in the same way. */
export type InventoryName = Pick<ServerInventory, "scope" | "server" | "launch">;

/** The whole definition that was accepted, so that a change can be shown. */
export interface AcceptedDefinition {
  readonly tool: string;
  readonly fingerprint: string;
  readonly definition: JsonObject;
}

/** A tool whose definition is not the accepted one. */
export interface ChangedTool {
  readonly tool: string;
  /** Of the definition it has now. */
  readonly fingerprint: string;
  /** The accepted definition; absent if only its fingerprint is known. */
  readonly before?: JsonObject;
  readonly definition: JsonObject;
}

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
