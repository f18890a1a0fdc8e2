import type { CallLog, PruneRule } from "../ports/store.ts";

/** Which calls are young, and what people should be told about the clock, if anything. */
export interface CountedAge {
  readonly young?: PruneRule["young"];
  readonly warning?: string;
}

const DAY = 24 * 60 * 60 * 1_000;
/** Clocks of computers that share a log differ, and daylight saving is at times set by hand. */
const TOLERANCE_MS = DAY;
/** Logs are often unused for months, hardly ever for this long. */
const LONG_UNUSED_MS = 365 * DAY;
/** Tacklebox did not exist before. A clock without a battery starts long before this. */
const EARLIEST = "2025-01-01T00:00:00.000Z";
const END_OF_TIME = "9999-12-31T23:59:59.999Z";

/**
 * Decides from which time on calls are young. A clock may be wrong now, or may have been when a call was recorded, and
 * neither may cost old calls:
 * - Age is counted back from the newest call, not from the present.
 * - Calls dated later than the present are not counted from: their clock was wrong, or ours is. Neither are calls dated
 *   before there was a Tacklebox.
 * - The count goes at most a quarter of `keepMs` past the newest call that is at least that much older. So a clock that
 *   jumps ahead costs few calls; once calls have gone on for that long after a jump, it was real and counts in full.
 */
export async function countAge(calls: CallLog, now: number, keepMs: number): Promise<CountedAge> {
  const last = await calls.newestBefore(END_OF_TIME);
  if (last === undefined) return {};
  if (toIso(now) < EARLIEST) return { warning: behindText(now) };
  const until = toIso(now + TOLERANCE_MS);
  const newest = last < until ? last : await calls.newestBefore(until);
  const isAhead = last >= until ? { warning: aheadText(last, now) } : {};
  if (newest === undefined || newest < EARLIEST) return isAhead;
  const quarter = keepMs / 4;
  const newestMs = Date.parse(newest);
  const before = await calls.newestBefore(toIso(newestMs - quarter));
  const countedFrom =
    before === undefined || before < EARLIEST ? newestMs : Math.min(newestMs, Date.parse(before) + quarter);
  const isUnused = now - countedFrom > LONG_UNUSED_MS ? { warning: unusedText(countedFrom, now) } : {};
  return { young: { from: toIso(countedFrom - keepMs), until }, ...isUnused, ...isAhead };
}

function behindText(now: number): string {
  return `This computer's clock says ${toIso(now)}, which cannot be right. Set it: new calls are recorded with its time. Until then, no call is removed from the call log for its age.`;
}

function aheadText(last: string, now: number): string {
  return `The newest call in the call log is dated ${last}, but this computer's clock says ${toIso(now)}. Check the clock: as long as calls are dated in the future, older calls are not removed because of them.`;
}

function unusedText(countedFrom: number, now: number): string {
  return `This computer's clock says ${toIso(now)}, more than a year after the calls in the call log (${toIso(countedFrom)}). If the clock is wrong, set it: new calls are recorded with its time. Old calls are removed gradually.`;
}

function toIso(ms: number): string {
  return new Date(Math.max(0, ms)).toISOString();
}
