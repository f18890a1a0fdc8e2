import * as z from "zod/mini";
import { boolean, map, number, object, optional, string } from "../json/schema.ts";

/** Vendors whose models can be configured, best known first. Their adapters are in packages/models/src/vendors. */
export const MODEL_VENDORS = ["openai", "anthropic", "openai-compatible"] as const;
export const ModelVendor = z.enum(MODEL_VENDORS);
export type ModelVendor = z.infer<typeof ModelVendor>;

/** OpenAI's two APIs, which other vendors offer too. */
export const ModelApi = z.enum(["responses", "chat"]);
export type ModelApi = z.infer<typeof ModelApi>;

/** Which fields the definition of a vendor's model must have, and which it may have. */
export interface VendorRules {
  /** The vendor's name for messages. */
  readonly title: string;
  /**
   * A vendor that requires a key is also found in the environment. If `variables` is `OPENAI`, those are
   * `OPENAI_API_KEY` and, if set, `OPENAI_BASE_URL` and `OPENAI_MODEL`.
   */
  readonly apiKey: { readonly kind: "required"; readonly variables: string } | { readonly kind: "optional" };
  readonly baseUrl: "required" | "optional";
  /** The APIs to choose from; empty if the vendor has only one. */
  readonly apis: readonly ModelApi[];
}

export const VENDOR_RULES: Readonly<Record<ModelVendor, VendorRules>> = {
  openai: {
    title: "OpenAI",
    apiKey: { kind: "required", variables: "OPENAI" },
    baseUrl: "optional",
    apis: ["responses", "chat"],
  },
  anthropic: {
    title: "Anthropic",
    apiKey: { kind: "required", variables: "ANTHROPIC" },
    baseUrl: "optional",
    apis: [],
  },
  "openai-compatible": {
    title: "a vendor compatible with OpenAI",
    apiKey: { kind: "optional" },
    baseUrl: "required",
    apis: ["responses", "chat"],
  },
};

/** One model of one vendor, as configured or found in the environment. */
export const ModelSummary = object({
  /** What people type after --model. */
  name: string,
  /** `demo` is built in and cannot be configured. */
  vendor: z.enum([...MODEL_VENDORS, "demo"]),
  /** The vendor's own id for it. */
  modelId: string,
  /** True for the model that is used unless another is named. */
  isDefault: boolean,
  /** Where it was found: the config file, or the name of an environment variable. Never a key. */
  source: string,
  /** Whether the model accepts images. */
  vision: boolean,
  /** The size of the context window in tokens, as far as is known. */
  contextTokens: number,
  /** How many tools its vendor accepts in one request; unlimited if absent. */
  maxTools: optional(number),
});
export type ModelSummary = z.infer<typeof ModelSummary>;

/** A model as people configure it. */
export const ModelDefinition = object({
  name: string,
  vendor: ModelVendor,
  modelId: string,
  /** May hold `${secret:NAME}`. */
  apiKey: optional(string),
  baseUrl: optional(string),
  /** If absent, `responses` for OpenAI itself and `chat` for everything compatible with it. */
  api: optional(ModelApi),
  headers: map(string),
  vision: optional(boolean),
  contextTokens: optional(number),
  maxOutputTokens: optional(number),
  isDefault: boolean,
  source: string,
});
export type ModelDefinition = z.infer<typeof ModelDefinition>;

export const ModelErrorCode = z.enum([
  "auth",
  "rate-limit",
  "context-too-long",
  "refused",
  "unreachable",
  "bad-answer",
  "cancelled",
]);
export type ModelErrorCode = z.infer<typeof ModelErrorCode>;

/** Why a model turn failed. The message is for people: what happened, with which model, what to do next. No secrets. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;
  /** How long the vendor asks to wait, if it says so. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ModelErrorCode, message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** How much a model may write in one turn, thoughts and arguments included: far more than any model is meant to. */
export const MAX_TURN_CHARACTERS = 4 * 1024 * 1024;

/** The error for a model that goes on and on. */
export function endlessTurn(name: string): ModelError {
  const most = `${MAX_TURN_CHARACTERS / 1024 / 1024} MB`;
  const next = "Set a limit (max_output_tokens) for it, or use another model";
  return new ModelError("bad-answer", `Model '${name}' wrote more than ${most} in one turn and was stopped. ${next}.`);
}
