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

/** Limits a toolbox has when nobody set any (S4.5, D.12). */
export const DEFAULT_TOOL_LIMITS: ToolLimits = { maxInstances: 5, timeoutMs: 30_000 };
export const DEFAULT_MAX_CONCURRENT = 10;
export const DEFAULT_MAX_WAIT_MS = 30_000;
export const DEFAULT_SERVER_TIMEOUT_MS = 30_000;

/** Node and browsers run a timer longer than this at once, so nothing we accept may be longer. */
export const LONGEST_DURATION_MS = 2_147_483_647;
