import * as z from "zod/mini";
import { JsonObject, object, optional, string } from "../json/schema.ts";

/** A remembered answer to an approval request. It is void once the tool's definition or its server's launch changes. */
export const Grant = object({
  id: string,
  verdict: z.enum(["allow", "deny"]),
  /** Set if the grant applies to one session only; otherwise it is permanent. */
  sessionId: optional(string),
  scope: string,
  server: string,
  tool: string,
  /** A digest of the tool's whole definition and its server's launch. */
  fingerprint: string,
  /** The definition that was approved, so that a change can be shown. */
  definition: JsonObject,
  reason: optional(string),
  createdAt: string,
});
export type Grant = z.infer<typeof Grant>;

/** How a tool's current definition compares with the one that was first used. */
export type PinState =
  | { readonly kind: "new"; readonly fingerprint: string }
  | { readonly kind: "same"; readonly fingerprint: string }
  | { readonly kind: "changed"; readonly fingerprint: string; readonly agreed: string };

export function comparePin(fingerprint: string, agreed: string | undefined): PinState {
  if (agreed === undefined) return { kind: "new", fingerprint };
  return agreed === fingerprint ? { kind: "same", fingerprint } : { kind: "changed", fingerprint, agreed };
}
