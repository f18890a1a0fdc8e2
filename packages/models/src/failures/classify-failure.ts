import type { ModelErrorCode, ModelVendor } from "@tacklebox/core";
import type { FailureMeaning } from "../vendors/vendor.ts";
import { VENDORS } from "../vendors/vendors.ts";
import type { VendorFailure } from "./read-failure.ts";

type Code = Exclude<ModelErrorCode, "cancelled">;

/** Gateways pass on the errors of the vendor behind them, so every vendor's codes are understood from any of them. */
const CODES_OF_ALL_VENDORS: ReadonlyMap<string, FailureMeaning> = new Map(
  Object.values(VENDORS).flatMap(({ failureCodes }) => [...failureCodes]),
);
const CONTEXT_PATTERNS: readonly RegExp[] = Object.values(VENDORS).flatMap(({ contextPatterns }) => contextPatterns);

/** The meanings of the failure's codes and types, outermost first; unknown ones are left out. */
export function meaningsOf({ codes }: VendorFailure, vendor: ModelVendor): FailureMeaning[] {
  const own = VENDORS[vendor].failureCodes;
  return codes.flatMap((code) => own.get(code) ?? CODES_OF_ALL_VENDORS.get(code) ?? []);
}

const BY_STATUS: ReadonlyMap<number, Code> = new Map<number, Code>([
  [401, "auth"],
  [402, "auth"],
  [403, "auth"],
  [408, "unreachable"],
  [413, "context-too-long"],
  [429, "rate-limit"],
  [529, "rate-limit"],
]);

/** Classifies a failure by the vendor's own codes, else by the HTTP status or how the connection ended. */
export function classifyFailure(failure: VendorFailure, vendor: ModelVendor): Code {
  const { status, message, isNetwork, isCut } = failure;
  const [meaning] = meaningsOf(failure, vendor);
  if (meaning !== undefined) return toCode(meaning);
  const byStatus = status === undefined ? undefined : BY_STATUS.get(status);
  if (byStatus !== undefined) return byStatus;
  if (status !== undefined && status >= 500) return "unreachable";
  if (status !== undefined && status >= 400) {
    // The only place that reads messages: some vendors report a full context window in no other way.
    return CONTEXT_PATTERNS.some((words) => words.test(message)) ? "context-too-long" : "refused";
  }
  return isCut || isNetwork ? "unreachable" : "bad-answer";
}

function toCode(meaning: FailureMeaning): Code {
  if (meaning === "no-credit") return "auth";
  return meaning === "no-quota" ? "rate-limit" : meaning;
}

/** How many milliseconds the vendor asks to wait, from `retry-after-ms` or `retry-after` (seconds or a date). */
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
