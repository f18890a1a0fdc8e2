import type { JsonObject } from "./json.ts";

/** Read-only data a server offers (S1.9). `raw` is the untouched entry. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly raw: JsonObject;
}

/** A family of resources; `uriTemplate` is RFC 6570. */
export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly raw: JsonObject;
}

/** One part of what reading a resource gives: text, or base64 bytes. */
export type ResourceContent =
  | { readonly kind: "text"; readonly uri: string; readonly mimeType?: string; readonly text: string }
  | { readonly kind: "bytes"; readonly uri: string; readonly mimeType?: string; readonly base64: string };
