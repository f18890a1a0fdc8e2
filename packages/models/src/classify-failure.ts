import type { ModelErrorCode } from "@tacklebox/core";
import type { VendorFailure } from "./read-failure.ts";

type Code = Exclude<ModelErrorCode, "cancelled">;

/** What the vendors' own codes and types mean, wherever their statuses say less. */
const BY_CODE: ReadonlyMap<string, Code> = new Map<string, Code>([
  ["context_length_exceeded", "context-too-long"],
  ["string_above_max_length", "context-too-long"],
  ["request_too_large", "context-too-long"],
  ["exceed_context_size_error", "context-too-long"],
  ["content_filter", "refused"],
  ["content_policy_violation", "refused"],
  ["invalid_prompt", "refused"],
  ["rate_limit_exceeded", "rate-limit"],
  ["rate_limit_error", "rate-limit"],
  ["insufficient_quota", "rate-limit"],
  ["overloaded_error", "rate-limit"],
  ["slow_down", "rate-limit"],
  ["invalid_api_key", "auth"],
  ["authentication_error", "auth"],
  ["permission_error", "auth"],
  ["billing_error", "auth"],
  ["server_error", "unreachable"],
  ["internal_server_error", "unreachable"],
  ["api_error", "unreachable"],
  ["timeout_error", "unreachable"],
]);

/**
 * The only place that reads messages: Anthropic, vLLM, LM Studio and Ollama tell a full context window by a general
 * "invalid request" and words alone. Looked at only for a request that was refused as invalid.
 */
const CONTEXT_WORDS: readonly RegExp[] = [
  /prompt is too long/i,
  /input length and `?max_tokens`? exceed/i,
  /maximum context length/i,
  /context (length|window|size)/i,
];

const BY_STATUS: ReadonlyMap<number, Code> = new Map<number, Code>([
  [401, "auth"],
  [402, "auth"],
  [403, "auth"],
  [408, "unreachable"],
  [413, "context-too-long"],
  [429, "rate-limit"],
  [529, "rate-limit"],
]);

/** By what the vendor said, else by how the answer or the connection ended. */
export function classifyFailure(failure: VendorFailure): Code {
  const { status, codes, message, isNetwork, isCut } = failure;
  const byCode = codes.map((code) => BY_CODE.get(code)).find((code) => code !== undefined);
  if (byCode !== undefined) return byCode;
  const byStatus = status === undefined ? undefined : BY_STATUS.get(status);
  if (byStatus !== undefined) return byStatus;
  if (status !== undefined && status >= 500) return "unreachable";
  if (status !== undefined && status >= 400) {
    return CONTEXT_WORDS.some((words) => words.test(message)) ? "context-too-long" : "refused";
  }
  return isCut || isNetwork ? "unreachable" : "bad-answer";
}

/** How long the vendor asks to wait, from `retry-after-ms` or `retry-after` (seconds or a date). */
export function retryAfterOf(headers: VendorFailure["headers"], now: number): number | undefined {
  const lowered = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  const ms = toNumber(lowered.get("retry-after-ms"));
  if (ms !== undefined) return Math.ceil(ms);
  const after = lowered.get("retry-after");
  const seconds = toNumber(after);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  const date = after === undefined ? Number.NaN : Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function toNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
