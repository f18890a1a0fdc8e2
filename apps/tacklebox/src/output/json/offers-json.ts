import type { ContentBlock, FailureCode } from "@tacklebox/core";

/*
 * The `--json` output about resources and prompts. Scripts depend on these: fields may be added, never renamed.
 */

export interface ResourcesJson {
  readonly servers: readonly {
    readonly server: string;
    readonly resources: readonly ResourceJson[];
    readonly templates: readonly ResourceTemplateJson[];
    readonly error?: string;
  }[];
}

interface DescribedJson {
  readonly name: string;
  readonly description?: string;
  readonly mime_type?: string;
}

export interface ResourceJson extends DescribedJson {
  readonly uri: string;
}

export interface ResourceTemplateJson extends DescribedJson {
  readonly uri_template: string;
}

export interface ReadJson {
  readonly server: string;
  readonly uri: string;
  readonly contents: readonly ContentJson[];
  /** Why it could not be read. */
  readonly ending?: FailureCode;
  readonly error?: string;
}

export type ContentJson =
  | { readonly uri: string; readonly mime_type?: string; readonly text: string }
  | { readonly uri: string; readonly mime_type?: string; readonly base64: string };

export interface PromptsJson {
  readonly servers: readonly {
    readonly server: string;
    readonly prompts: readonly PromptJson[];
    readonly error?: string;
  }[];
}

export interface PromptJson {
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly { readonly name: string; readonly description?: string; readonly required: boolean }[];
}

export interface FilledPromptJson {
  readonly server: string;
  readonly prompt: string;
  readonly description?: string;
  readonly messages: readonly { readonly role: string; readonly content: ContentBlock }[];
  /** Why it could not be fetched. */
  readonly ending?: FailureCode;
  readonly error?: string;
}

/** The same shapes as text, for `--help`. */
export const OFFERS_JSON_SHAPES = {
  resources: `{ servers: [{ server, resources: [{ uri, name, description?, mime_type? }],
    templates: [{ uri_template, name, description?, mime_type? }], error? }] }`,
  read: `{ server, uri, contents: [{ uri, mime_type?, text } or { uri, mime_type?, base64 }], ending?, error? }`,
  prompts: `{ servers: [{ server, prompts: [{ name, description?, arguments: [{ name, description?, required }] }], error? }] }
    with a prompt: { server, prompt, description?, messages: [{ role, content: block }], ending?, error? }`,
} as const;
