import type { JsonObject } from "../json/json.ts";

/** A remembered answer to an approval. Bound to what was agreed to: another launch or definition withdraws it. */
export interface Grant {
  readonly id: string;
  readonly verdict: "allow" | "deny";
  /** Set when it holds for one session only; otherwise it holds for good. */
  readonly sessionId?: string;
  readonly scope: string;
  readonly server: string;
  readonly tool: string;
  /** Of the tool's whole definition and its server's launch. */
  readonly fingerprint: string;
  /** The definition that was agreed to, so that a change can be shown. */
  readonly definition: JsonObject;
  readonly reason?: string;
  readonly createdAt: string;
}

/** How a tool's present definition compares with the one that was first used. */
export type PinState =
  | { readonly kind: "new"; readonly fingerprint: string }
  | { readonly kind: "same"; readonly fingerprint: string }
  | { readonly kind: "changed"; readonly fingerprint: string; readonly agreed: string };

export function comparePin(fingerprint: string, agreed: string | undefined): PinState {
  if (agreed === undefined) return { kind: "new", fingerprint };
  return agreed === fingerprint ? { kind: "same", fingerprint } : { kind: "changed", fingerprint, agreed };
}
