import { findOllama } from "../find/find-ollama.ts";
import { openaiResponses } from "./openai.ts";
import type { ApiStyle, Endpoint, Vendor } from "./vendor.ts";

/** Any server of one of OpenAI's APIs: local programs, gateways, other vendors. */
export const compatible: Vendor = {
  baseUrl: undefined,
  urlVersion: "written",
  apiOf: ({ api }) => (api === "responses" ? openaiResponses : compatibleChat),
  findLocal: (fetcher, env) => findOllama(fetcher, env.OLLAMA_HOST),
  knownModels: [],
  modelIds: "local",
  // Local servers differ widely. Guessing too small a window only trims early; guessing too large loses text.
  defaultAbilities: { vision: false, contextTokens: 32_768 },
  failureCodes: new Map([
    ["exceed_context_size_error", "context-too-long"],
    ["internal_server_error", "unreachable"],
  ]),
  // vLLM, LM Studio and Ollama.
  contextPatterns: [/maximum context length/i, /context (length|window|size)/i],
};

/** OpenAI's older chat API, as other servers implement it. */
export const compatibleChat: ApiStyle = {
  name: "openai-compatible",
  openModel: async (endpoint) => (await openProvider(endpoint))(endpoint.modelId),
  openEmbeddings: async (endpoint) => (await openProvider(endpoint)).embeddingModel(endpoint.modelId),
  providerOptions: {},
  toolOptions: {},
  // Thoughts are unsigned here: some open models need them within a round of tool calls, and none of them later.
  thoughts: "of-this-round",
  // This API has no place for images in a tool result.
  resultImages: "after",
  // The SDK expects Gemini's thought signatures under another name than it returns them.
  toSentMarks: (marks) => ({ ...marks, google: marks.compatible ?? {} }),
};

async function openProvider({ baseUrl: baseURL, apiKey, headers, fetch }: Endpoint) {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const key = apiKey === undefined ? {} : { apiKey };
  const place = { name: "compatible", baseURL, ...key, headers: { ...headers }, fetch };
  return createOpenAICompatible({ ...place, includeUsage: true });
}
