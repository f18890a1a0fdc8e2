import * as z from "zod/mini";
import { type JsonObject, map, object, string } from "../json/schema.ts";
import type { ContentBlock } from "./call.ts";

/** A message template a server offers. `raw` is the entry as sent. */
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

/** An argument a person is typing, for which the server may know completions. */
export const CompletionRequest = object({
  target: z.discriminatedUnion("kind", [
    object({ kind: z.literal("prompt"), name: string }),
    object({ kind: z.literal("resource"), uriTemplate: string }),
  ]),
  argument: string,
  typed: string,
  /** Arguments that have already been filled in. */
  known: map(string),
});
export type CompletionRequest = z.infer<typeof CompletionRequest>;

export interface Completion {
  readonly values: readonly string[];
  readonly hasMore: boolean;
}

/** Read-only data a server offers. `raw` is the entry as sent. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly raw: JsonObject;
}

/** A family of resources; `uriTemplate` follows RFC 6570. */
export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly raw: JsonObject;
}

/** One part of a resource's content: text, or base64 bytes. */
export type ResourceContent =
  | { readonly kind: "text"; readonly uri: string; readonly mimeType?: string; readonly text: string }
  | { readonly kind: "bytes"; readonly uri: string; readonly mimeType?: string; readonly base64: string };
