import type { JsonObject, JsonSchema } from "./json.ts";

/**
 * A server asks the person for something in the middle of its work. Untrusted text: show who asks. `sessionId` is set
 * where the server is a session's own.
 */
export type ElicitationRequest = { readonly sessionId?: string } & (
  | { readonly kind: "form"; readonly server: string; readonly message: string; readonly schema: JsonSchema }
  | { readonly kind: "url"; readonly server: string; readonly message: string; readonly url: string }
);

export type ElicitationAnswer =
  | { readonly kind: "accept"; readonly content: JsonObject }
  | { readonly kind: "decline" }
  | { readonly kind: "cancel" };

/** A folder or file a server is told it may care about. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}
