/** How many calls of one tool may run at once, and how long one may take. */
export interface ToolLimits {
  readonly maxInstances: number;
  readonly timeoutMs: number;
}

/** A token bucket: `burst` calls at once, refilled at `perMinute`. */
export interface RateLimit {
  readonly perMinute: number;
  readonly burst: number;
}

/** How long calls are kept once they ended, and how sure a record must be before its call goes on. */
export interface CallLogSettings {
  readonly keepMs: number;
  readonly keepAtMost: number;
  /** `full` survives the loss of power; `normal` survives only the end of the process, and is faster. */
  readonly durability: "full" | "normal";
}

export const DEFAULT_CALL_LOG: CallLogSettings = {
  keepMs: 90 * 24 * 60 * 60 * 1_000,
  keepAtMost: 100_000,
  durability: "full",
};

/** Limits a toolbox has when nobody set any (S4.5, D.12). */
export const DEFAULT_TOOL_LIMITS: ToolLimits = { maxInstances: 5, timeoutMs: 30_000 };
export const DEFAULT_MAX_CONCURRENT = 10;
export const DEFAULT_MAX_WAIT_MS = 30_000;
export const DEFAULT_SERVER_TIMEOUT_MS = 30_000;

/** Node and browsers run a timer longer than this at once, so nothing we accept may be longer. */
export const LONGEST_DURATION_MS = 2_147_483_647;
