import { ModelError, type ModelErrorCode, type ModelVendor, type Redactor } from "@tacklebox/core";
import { classifyFailure, meaningsOf, retryAfterOf } from "./classify-failure.ts";
import { readFailure, type VendorFailure } from "./read-failure.ts";

export interface ErrorContext {
  /** The model's name in the configuration. */
  readonly name: string;
  readonly vendor: ModelVendor;
  readonly modelId: string;
  readonly host: string;
  /** Where its key or address was configured. */
  readonly source: string;
  readonly now: number;
  readonly redact: Redactor;
}

/** Converts an error into one that says what happened, with which model, and what to do next. Holds no request data. */
export function toModelError(error: unknown, context: ErrorContext): ModelError {
  if (error instanceof ModelError) return error;
  // Thrown by us while the SDK was reading.
  if (error instanceof Error && error.cause instanceof ModelError) return error.cause;
  const failure = readFailure(error);
  const code = classifyFailure(failure, context.vendor);
  const retryAfterMs = retryAfterOf(failure.headers, context.now);
  const message = `Model '${context.name}' (${context.modelId} at ${context.host}) ${textOf(code, failure, context, retryAfterMs)}`;
  // The SDK's own error carries the whole conversation and the vendor's raw answer: neither belongs in a log.
  const cause = new Error(context.redact(summaryOf(failure)));
  return new ModelError(code, context.redact(message), {
    cause,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

export function cancelledError(name: string): ModelError {
  return new ModelError("cancelled", `The request to model '${name}' was cancelled.`);
}

const NEXT_STEPS = {
  "context-too-long": "Start a new session, or use a model with a larger context window.",
  unreachable: "Check that it is running and that the address is right, then try again.",
  "bad-answer": "Try again; if it happens again, check the address and the API setting for this server.",
} as const;

function textOf(
  code: ModelErrorCode,
  failure: VendorFailure,
  context: ErrorContext,
  retryAfterMs: number | undefined,
): string {
  const meanings = meaningsOf(failure, context.vendor);
  const words = quoted(failure.message);
  const answered = failure.status === undefined || failure.status < 400 ? "" : ` (HTTP ${failure.status})`;
  switch (code) {
    case "auth":
      // The vendor's message is left out: it may repeat parts of a wrong key.
      if (failure.status === 402 || meanings.includes("no-credit")) {
        return `has no credit left${answered}. Check the billing of the account whose key is in ${context.source}.`;
      }
      return `did not accept the key${answered}. Check the key in ${context.source} and its permissions.`;
    case "rate-limit":
      if (meanings.includes("no-quota")) {
        return `has used up its quota${answered}. Check the plan and billing of the account whose key is in ${context.source}.`;
      }
      return `is not accepting more requests right now${answered}. ${waitText(retryAfterMs)}, or use another model.`;
    case "context-too-long":
      return `cannot handle a conversation this long${answered}${words}. ${NEXT_STEPS[code]}`;
    case "refused":
      return `refused the request${answered}${words}. ${refusedStep(failure)}`;
    case "unreachable":
      return `${unreachableText(failure)}${answered}${words}. ${NEXT_STEPS[code]}`;
    case "bad-answer":
      return `gave an answer that could not be read${answered}${words}. ${NEXT_STEPS[code]}`;
    case "cancelled":
      return "was cancelled.";
  }
}

function waitText(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined ? "Wait a moment" : `Try again in ${Math.ceil(retryAfterMs / 1000)} s`;
}

function refusedStep({ status }: VendorFailure): string {
  if (status === 404) return "Check the model id and the address.";
  return "Change the request, or use another model.";
}

function unreachableText({ isCut, isEmpty, isNetwork, status }: VendorFailure): string {
  if (isEmpty) return "sent an answer with nothing in it";
  if (isCut) return "broke off in the middle of its answer";
  return isNetwork && status === undefined ? "cannot be reached" : "failed";
}

const MAX_QUOTE_LENGTH = 300;

function quoted(message: string): string {
  const line = message.replace(/\s+/g, " ").trim();
  if (line === "") return "";
  const short = line.length > MAX_QUOTE_LENGTH ? `${line.slice(0, MAX_QUOTE_LENGTH)}…` : line;
  return `: ${short.replace(/\.$/, "")}`;
}

function summaryOf({ name, status, codes }: VendorFailure): string {
  return [name, status, ...codes].filter((item) => item !== undefined && item !== "").join(" ");
}
