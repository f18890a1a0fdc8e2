import type { ModelDefinition } from "@tacklebox/core";

/** Which of the vendors' languages a model is spoken to in. */
export type ApiStyle = "openai-responses" | "openai-chat" | "anthropic" | "compatible";

export function dialectOf({ vendor, api }: ModelDefinition): ApiStyle {
  if (vendor === "anthropic") return "anthropic";
  if (vendor === "openai-compatible") return api === "responses" ? "openai-responses" : "compatible";
  return api === "chat" ? "openai-chat" : "openai-responses";
}

/** Names the one model that may see a vendor mark again. */
export function originOf(definition: ModelDefinition): string {
  return `${definition.vendor}/${definition.modelId}`;
}
