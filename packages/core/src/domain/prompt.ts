import type { ContentBlock } from "./call.ts";
import type { JsonObject } from "./json.ts";

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
