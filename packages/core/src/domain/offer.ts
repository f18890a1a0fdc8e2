import type { JsonObject } from "../json/json.ts";
import type { ContentBlock } from "./call.ts";

/** A message template a server offers (S1.10). `raw` is the untouched entry. */
export interface Prompt {
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly PromptArgument[];
  readonly raw: JsonObject;
}

export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
}

/** A prompt with its arguments filled in. */
export interface FilledPrompt {
  readonly description?: string;
  readonly messages: readonly { readonly role: string; readonly content: ContentBlock }[];
}

/** What is being typed, for which the server may know endings. */
export interface CompletionRequest {
  readonly target:
    | { readonly kind: "prompt"; readonly name: string }
    | { readonly kind: "resource"; readonly uriTemplate: string };
  readonly argument: string;
  readonly typed: string;
  /** Arguments that are filled in already. */
  readonly known: Readonly<Record<string, string>>;
}

export interface Completion {
  readonly values: readonly string[];
  readonly hasMore: boolean;
}

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
