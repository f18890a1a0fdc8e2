import type * as z from "zod/mini";
import { number, object } from "../json/schema.ts";

/** How many calls of one tool may run at once, and how long one may take. */
export const ToolLimits = object({
  maxInstances: number,
  timeoutMs: number,
});
export type ToolLimits = z.infer<typeof ToolLimits>;

/** A token bucket: `burst` calls at once, refilled at `perMinute`. */
export const RateLimit = object({
  perMinute: number,
  burst: number,
});
export type RateLimit = z.infer<typeof RateLimit>;

/** Which ended calls are kept, how much of each result, and how durable a record must be before its call goes on. */
export interface CallLogSettings {
  /** Counted back from the newest call, not from the present. */
  readonly keepMs: number;
  readonly keepAtMost: number;
  /** The size of all calls together. */
  readonly keepBytes: number;
  /** How much of one result is kept. */
  readonly keepResultBytes: number;
  /** `full` survives a power loss; `normal` survives only a crash of the process, and is faster. */
  readonly durability: "full" | "normal";
}

export const DEFAULT_CALL_LOG: CallLogSettings = {
  keepMs: 90 * 24 * 60 * 60 * 1_000,
  keepAtMost: 100_000,
  keepBytes: 1024 * 1024 * 1024,
  keepResultBytes: 256 * 1024,
  durability: "full",
};

/** The limits of a toolbox unless the config sets others. */
export const DEFAULT_TOOL_LIMITS: ToolLimits = { maxInstances: 5, timeoutMs: 30_000 };
export const DEFAULT_MAX_CONCURRENT = 10;
export const DEFAULT_MAX_WAIT_MS = 30_000;
export const DEFAULT_SERVER_TIMEOUT_MS = 30_000;

/** Node and browsers fire a timer longer than this immediately, so we accept no longer duration. */
export const MAX_DURATION_MS = 2_147_483_647;
