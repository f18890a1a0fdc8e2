import type { JsonObject } from "../json/json.ts";

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
