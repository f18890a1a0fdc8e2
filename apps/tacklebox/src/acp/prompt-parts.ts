import type { ImagePart, RunRequest } from "@tacklebox/core";
import { isObject, type Members } from "./rpc/is-object.ts";
import { RpcError } from "./rpc/rpc-error.ts";

type Part = RunRequest["prompt"][number];

/** Converts the person's prompt for the model. A block that we cannot pass on is refused rather than left out. */
export function toPromptParts(blocks: unknown): readonly Part[] {
  if (!Array.isArray(blocks)) throw new RpcError("params", "prompt must be a list of content blocks");
  return blocks.map(toPart);
}

function toPart(block: unknown, index: number): Part {
  const part = isObject(block) ? partOf(block) : undefined;
  if (part !== undefined) return part;
  const type = isObject(block) ? String(block.type) : typeof block;
  throw new RpcError("params", `prompt[${index}] cannot be used: a '${type}' block like this is not understood here`);
}

function partOf(block: Members): Part | undefined {
  const { type, text, data, mimeType, uri, name, resource } = block;
  if (type === "text" && typeof text === "string") return { type, text };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") return { type, mimeType, data };
  if (type === "resource_link" && typeof uri === "string") return { type: "text", text: linkText(uri, name) };
  return type === "resource" && isObject(resource) ? resourcePart(resource) : undefined;
}

function linkText(uri: string, name: unknown): string {
  return typeof name === "string" && name !== "" ? `[${name}](${uri})` : `<${uri}>`;
}

function resourcePart({ uri, text, blob, mimeType }: Members): Part | undefined {
  if (typeof uri !== "string") return undefined;
  if (typeof text === "string") return { type: "text", text: `Content of ${uri}:\n${fenced(text)}` };
  if (typeof blob !== "string") return undefined;
  if (typeof mimeType === "string" && mimeType.startsWith("image/")) return toImage(mimeType, blob);
  return { type: "text", text: `${uri} is attached, but is not text, so it is not shown here.` };
}

function toImage(mimeType: string, data: string): ImagePart {
  return { type: "image", mimeType, data };
}

/** Uses a fence longer than any in the text, so that the text cannot end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
