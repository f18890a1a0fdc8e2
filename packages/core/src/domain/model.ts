/** Who answers: one model of one vendor, as configured or found in the environment. */
export interface ModelSummary {
  /** What people type after --model. */
  readonly name: string;
  readonly vendor: ModelVendor;
  /** The vendor's own id for it. */
  readonly modelId: string;
  /** True for the one that is used when nobody names one. */
  readonly isDefault: boolean;
  /** Where it was found: the config file, or which environment variable. Never a key. */
  readonly source: string;
  /** Takes images. */
  readonly vision: boolean;
  /** How much fits into one request, in tokens, as far as is known. */
  readonly contextTokens: number;
  /** How many tools its vendor takes in one request; any number when absent. */
  readonly maxTools?: number;
}

export type ModelVendor = "openai" | "anthropic" | "openai-compatible" | "demo";

/** A model as people configure it. */
export interface ModelDefinition {
  readonly name: string;
  readonly vendor: Exclude<ModelVendor, "demo">;
  readonly modelId: string;
  /** May hold `${secret:NAME}`. */
  readonly apiKey?: string;
  readonly baseUrl?: string;
  /** Which of OpenAI's two APIs; `responses` for OpenAI itself, `chat` for everything compatible with it. */
  readonly api?: "responses" | "chat";
  readonly headers: Readonly<Record<string, string>>;
  readonly vision?: boolean;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly isDefault: boolean;
  readonly source: string;
}

export type ModelErrorCode =
  | "auth"
  | "rate-limit"
  | "context-too-long"
  | "refused"
  | "unreachable"
  | "bad-answer"
  | "cancelled";

/** Why a model turn failed. The message is for people: what happened, with which model, what to do next; no secret. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;
  /** When the vendor said how long to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ModelErrorCode, message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}
