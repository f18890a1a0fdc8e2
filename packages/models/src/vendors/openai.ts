import type { EmbeddingModelV3 } from "@ai-sdk/provider";
import type { ApiStyle, Endpoint, Vendor } from "./vendor.ts";

export const openai: Vendor = {
  baseUrl: "https://api.openai.com/v1",
  urlVersion: "written",
  apiOf: ({ api }) => (api === "chat" ? openaiChat : openaiResponses),
  defaultModelId: "gpt-5.4",
  knownModels: [
    [/^gpt-4\.1/, { vision: true, contextTokens: 1_047_576 }],
    [/^gpt-4o|^gpt-4-turbo/, { vision: true, contextTokens: 128_000 }],
    [/^gpt-3\.5/, { vision: false, contextTokens: 16_385 }],
    [/^gpt-4/, { vision: false, contextTokens: 8_192 }],
    [/^o\d-mini/, { vision: false, contextTokens: 200_000 }],
    [/^o\d/, { vision: true, contextTokens: 200_000 }],
    [/^gpt-/, { vision: true, contextTokens: 400_000 }],
  ],
  modelIds: "global",
  defaultAbilities: { vision: true, contextTokens: 128_000 },
  // OpenAI refuses requests with more.
  maxTools: 128,
  failureCodes: new Map([
    ["context_length_exceeded", "context-too-long"],
    ["string_above_max_length", "context-too-long"],
    ["content_filter", "refused"],
    ["content_policy_violation", "refused"],
    ["invalid_prompt", "refused"],
    ["rate_limit_exceeded", "rate-limit"],
    ["slow_down", "rate-limit"],
    ["insufficient_quota", "no-quota"],
    ["invalid_api_key", "auth"],
    ["server_error", "unreachable"],
  ]),
  contextPatterns: [],
  formatTool: ({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }),
};

/** The newer of OpenAI's two APIs. */
export const openaiResponses: ApiStyle = {
  name: "openai responses",
  openModel: async (endpoint) => (await openProvider(endpoint)).responses(endpoint.modelId),
  openEmbeddings,
  // OpenAI stores nothing: we get the reasoning encrypted, and send it back.
  providerOptions: { openai: { store: false } },
  // The default is strict, which refuses most schemas people write.
  toolOptions: { strict: false },
  thoughts: "signed",
  resultImages: "inside",
};

/** The older one, which does not reveal its models' thoughts. */
const openaiChat: ApiStyle = {
  name: "openai chat",
  openModel: async (endpoint) => (await openProvider(endpoint)).chat(endpoint.modelId),
  openEmbeddings,
  providerOptions: {},
  toolOptions: { strict: false },
  thoughts: "none",
  resultImages: "after",
};

async function openEmbeddings(endpoint: Endpoint): Promise<EmbeddingModelV3> {
  return (await openProvider(endpoint)).embeddingModel(endpoint.modelId);
}

async function openProvider({ baseUrl: baseURL, apiKey = "", headers, fetch }: Endpoint) {
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI({
    baseURL,
    apiKey,
    headers: { ...headers },
    fetch: apiKey === "" ? withoutEmptyKey(fetch) : fetch,
  });
}

/** Without a key the SDK sends the scheme alone, which is no credential and which some servers refuse. */
function withoutEmptyKey(fetcher: typeof fetch): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    if (headers.get("authorization") === "Bearer") headers.delete("authorization");
    return fetcher(input, { ...init, headers });
  };
}
