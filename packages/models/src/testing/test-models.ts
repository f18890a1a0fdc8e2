import type { Model, ModelDefinition, ModelEvent, ModelRequest } from "@tacklebox/core";
import { createModels, type ModelsParts } from "../create-models.ts";

export const KEY = "sk-canary-0123456789abcdef";

/** Each of the languages, as people would configure it, at an address. */
export const DEFINITIONS = {
  "openai responses": { vendor: "openai", modelId: "gpt-5.4" },
  "openai chat": { vendor: "openai", modelId: "gpt-4o", api: "chat" },
  anthropic: { vendor: "anthropic", modelId: "claude-sonnet-5" },
  "openai-compatible": { vendor: "openai-compatible", modelId: "llama3.2" },
} as const satisfies Record<string, Partial<ModelDefinition>>;

export type Spoken = keyof typeof DEFINITIONS;
export const SPOKEN = Object.keys(DEFINITIONS) as readonly Spoken[];

export function testDefinition(spoken: Spoken, url: string, more: Partial<ModelDefinition> = {}): ModelDefinition {
  return {
    name: "m",
    apiKey: KEY,
    baseUrl: url,
    headers: {},
    isDefault: false,
    source: "a test",
    ...DEFINITIONS[spoken],
    ...more,
  };
}

export async function openModel(definition: ModelDefinition, parts: Partial<ModelsParts> = {}): Promise<Model> {
  const models = createModels({ definitions: [definition], resolveSecret: (text) => Promise.resolve(text), ...parts });
  const opened = await models.open(definition.name);
  if (opened.kind === "unknown") throw new Error(opened.message);
  return opened.model;
}

export const PLAIN_REQUEST: ModelRequest = {
  instructions: "Answer briefly.",
  messages: [{ role: "user", parts: [{ type: "text", text: "What is the weather?" }] }],
  tools: [],
};

export async function readAll(model: Model, request: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  const signal = new AbortController().signal;
  for await (const event of model.stream({ ...PLAIN_REQUEST, ...request }, signal)) events.push(event);
  return events;
}
