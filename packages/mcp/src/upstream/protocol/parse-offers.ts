import {
  type Completion,
  ConnectionError,
  type FilledPrompt,
  isJsonObject,
  type Json,
  type JsonObject,
  type Prompt,
  type PromptArgument,
  type Resource,
  type ResourceContent,
  type ResourceTemplate,
} from "@tacklebox/core";
import { toBlock } from "./tool-result.ts";

/*
 * Lenient parsers for resources and prompts: an entry needs only its identifier (URI or name). Undefined means that the
 * entry cannot be used.
 */

export function toResource(entry: unknown): Resource | undefined {
  if (!isJsonObject(entry) || typeof entry.uri !== "string") return undefined;
  return { uri: entry.uri, ...described(entry, entry.uri), ...mimeType(entry), raw: entry };
}

export function toResourceTemplate(entry: unknown): ResourceTemplate | undefined {
  if (!isJsonObject(entry) || typeof entry.uriTemplate !== "string") return undefined;
  return { uriTemplate: entry.uriTemplate, ...described(entry, entry.uriTemplate), ...mimeType(entry), raw: entry };
}

export function toPrompt(entry: unknown): Prompt | undefined {
  if (!isJsonObject(entry) || typeof entry.name !== "string") return undefined;
  const args = Array.isArray(entry.arguments) ? entry.arguments.flatMap(toPromptArgument) : [];
  return { ...described(entry, entry.name), arguments: args, raw: entry };
}

/** Returns the usable parts of a resource, and how many were skipped. */
export function toResourceContents(
  result: JsonObject,
  askedUri: string,
): { readonly contents: readonly ResourceContent[]; readonly skipped: number } {
  if (!Array.isArray(result.contents)) {
    throw new ConnectionError("protocol-error", 'The server answered "resources/read" without contents.');
  }
  const contents = result.contents.flatMap((entry) => toResourceContent(entry, askedUri));
  return { contents, skipped: result.contents.length - contents.length };
}

export function toFilledPrompt({ description, messages }: JsonObject): FilledPrompt {
  if (!Array.isArray(messages)) {
    throw new ConnectionError("protocol-error", 'The server answered "prompts/get" without messages.');
  }
  return { ...(typeof description === "string" && { description }), messages: messages.flatMap(toMessages) };
}

export function toCompletion({ completion }: JsonObject): Completion {
  if (!isJsonObject(completion) || !Array.isArray(completion.values)) {
    throw new ConnectionError("protocol-error", 'The server answered "completion/complete" without values.');
  }
  const values = completion.values.filter((value) => typeof value === "string");
  return { values, hasMore: completion.hasMore === true };
}

function described(entry: JsonObject, fallbackName: string): { name: string; description?: string } {
  const name = typeof entry.name === "string" ? entry.name : fallbackName;
  return { name, ...(typeof entry.description === "string" && { description: entry.description }) };
}

function mimeType(entry: JsonObject): { mimeType?: string } {
  return typeof entry.mimeType === "string" ? { mimeType: entry.mimeType } : {};
}

function toPromptArgument(entry: Json): PromptArgument[] {
  if (!isJsonObject(entry) || typeof entry.name !== "string") return [];
  return [{ ...described(entry, entry.name), required: entry.required === true }];
}

function toResourceContent(entry: Json, askedUri: string): ResourceContent[] {
  if (!isJsonObject(entry)) return [];
  const place = { uri: typeof entry.uri === "string" ? entry.uri : askedUri, ...mimeType(entry) };
  if (typeof entry.text === "string") return [{ kind: "text", ...place, text: entry.text }];
  return typeof entry.blob === "string" ? [{ kind: "bytes", ...place, base64: entry.blob }] : [];
}

function toMessages(entry: Json): FilledPrompt["messages"] {
  if (!isJsonObject(entry) || entry.content === undefined) return [];
  const role = typeof entry.role === "string" ? entry.role : "user";
  // The protocol allows one block per message; a server that sends several means several messages.
  const blocks = Array.isArray(entry.content) ? entry.content : [entry.content];
  return blocks.map((content) => ({ role, content: toBlock(content) }));
}
