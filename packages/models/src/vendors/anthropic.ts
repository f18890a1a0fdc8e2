import type { JsonObject } from "@tacklebox/core";
import { appendToDescription, objectIn, textsIn } from "../schema/members.ts";
import type { ApiStyle, Vendor } from "./vendor.ts";

export const anthropic: Vendor = {
  baseUrl: "https://api.anthropic.com/v1",
  // Other programs write Anthropic's base URL without the version.
  urlVersion: "left-out",
  apiOf: () => anthropicMessages,
  defaultModelId: "claude-sonnet-5",
  knownModels: [[/^claude-/, { vision: true, contextTokens: 200_000 }]],
  modelIds: "global",
  defaultAbilities: { vision: true, contextTokens: 200_000 },
  failureCodes: new Map([
    ["request_too_large", "context-too-long"],
    ["rate_limit_error", "rate-limit"],
    ["overloaded_error", "rate-limit"],
    ["authentication_error", "auth"],
    ["permission_error", "auth"],
    ["billing_error", "no-credit"],
    ["api_error", "unreachable"],
    ["timeout_error", "unreachable"],
  ]),
  contextPatterns: [/prompt is too long/i, /input length and `?max_tokens`? exceed/i],
  formatTool: ({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }),
};

const anthropicMessages: ApiStyle = {
  name: "anthropic",
  async openModel({ modelId, baseUrl: baseURL, apiKey = "", headers, fetch }) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL, apiKey, headers: { ...headers }, fetch })(modelId);
  },
  providerOptions: {},
  toolOptions: {},
  thoughts: "signed",
  resultImages: "inside",
  adaptSchema: withLegalKeys,
};

const LEGAL_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Anthropic refuses other property names, so these are mentioned in the description, where the model can still see
 * them.
 */
function withLegalKeys(schema: JsonObject): JsonObject {
  const entries = Object.entries(objectIn(schema.properties));
  const illegal = entries.map(([name]) => name).filter((name) => !LEGAL_KEY.test(name));
  if (illegal.length === 0) return schema;
  const legal = entries.filter(([name]) => LEGAL_KEY.test(name));
  const required = textsIn(schema.required).filter((name) => LEGAL_KEY.test(name));
  const hint = `It also takes the properties ${illegal.map((name) => JSON.stringify(name)).join(", ")}.`;
  return { ...appendToDescription(schema, hint), properties: Object.fromEntries(legal), required };
}
