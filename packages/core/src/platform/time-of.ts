import type { Clock } from "../ports/clock.ts";
import { systemClock } from "./system-clock.ts";

/** The time that an event is dated with: a clock that throws must not keep anybody from being told. */
export function timeOf(clock: Pick<Clock, "now">): number {
  try {
    return clock.now();
  } catch {
    return systemClock.now();
  }
}
