import type { Model, ModelDefinition, ModelEvent, ModelRequest } from "@tacklebox/core";
import { createModels, type ModelsDeps } from "../create-models.ts";
import type { ApiStyle } from "../vendors/vendor.ts";

export const KEY = "sk-canary-0123456789abcdef";

/** One model definition per API, as people would configure it. */
export const DEFINITIONS = {
  "openai responses": { vendor: "openai", modelId: "gpt-5.4" },
  "openai chat": { vendor: "openai", modelId: "gpt-4o", api: "chat" },
  anthropic: { vendor: "anthropic", modelId: "claude-sonnet-5" },
  "openai-compatible": { vendor: "openai-compatible", modelId: "llama3.2" },
} as const satisfies Record<ApiStyle["name"], Partial<ModelDefinition>>;

export type ApiName = ApiStyle["name"];
export const API_NAMES = Object.keys(DEFINITIONS) as readonly ApiName[];

export function testDefinition(api: ApiName, url: string, more: Partial<ModelDefinition> = {}): ModelDefinition {
  return {
    name: "m",
    apiKey: KEY,
    baseUrl: url,
    headers: {},
    isDefault: false,
    source: "a test",
    ...DEFINITIONS[api],
    ...more,
  };
}

export async function openModel(definition: ModelDefinition, deps: Partial<ModelsDeps> = {}): Promise<Model> {
  const models = createModels({ definitions: [definition], resolveSecret: (text) => Promise.resolve(text), ...deps });
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
