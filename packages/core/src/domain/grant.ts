import type { JsonObject } from "./json.ts";

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
