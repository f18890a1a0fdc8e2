import type { EmbeddingModelV3, JSONValue, LanguageModelV3 } from "@ai-sdk/provider";
import type { ApiStyle } from "./dialect.ts";

export interface Endpoint {
  readonly dialect: ApiStyle;
  readonly modelId: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

/**
 * Everything is passed on explicitly, even when empty: what is left out, the SDK reads from the environment. Most commands
 * never ask a model, so a vendor's part of the SDK is loaded with the first request to it.
 */
export async function createLanguageModel(endpoint: Endpoint): Promise<LanguageModelV3> {
  const { dialect, modelId, baseUrl: baseURL, apiKey, fetch } = endpoint;
  const headers = { ...endpoint.headers };
  if (dialect === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL, apiKey: apiKey ?? "", headers, fetch })(modelId);
  }
  if (dialect === "compatible") {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const key = apiKey === undefined ? {} : { apiKey };
    return createOpenAICompatible({ name: "compatible", baseURL, ...key, headers, fetch, includeUsage: true })(modelId);
  }
  const { createOpenAI } = await import("@ai-sdk/openai");
  const openai = createOpenAI({ baseURL, apiKey: apiKey ?? "", headers, fetch });
  return dialect === "openai-chat" ? openai.chat(modelId) : openai.responses(modelId);
}

/** Undefined where the vendor has none. */
export async function createEmbeddingModel(endpoint: Endpoint): Promise<EmbeddingModelV3 | undefined> {
  const { dialect, modelId, baseUrl: baseURL, apiKey, fetch } = endpoint;
  const headers = { ...endpoint.headers };
  if (dialect === "anthropic") return undefined;
  if (dialect === "compatible") {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const key = apiKey === undefined ? {} : { apiKey };
    return createOpenAICompatible({ name: "compatible", baseURL, ...key, headers, fetch }).embeddingModel(modelId);
  }
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI({ baseURL, apiKey: apiKey ?? "", headers, fetch }).embeddingModel(modelId);
}

/** Nothing is kept at the vendor: reasoning travels with us, encrypted, and tools are not made strict. */
export function providerOptionsOf(dialect: ApiStyle): Record<string, Record<string, JSONValue>> {
  return dialect === "openai-responses" ? { openai: { store: false } } : {};
}
