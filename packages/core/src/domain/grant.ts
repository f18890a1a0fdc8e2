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

/** How a tool's current definition compares with the accepted one. The fingerprint also covers its server's launch. */
export interface PinState {
  readonly kind: "new" | "same" | "changed";
  readonly fingerprint: string;
}
