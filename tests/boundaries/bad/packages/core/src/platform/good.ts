// breaks nothing
import type { Clock } from "../ports/clock.ts";
export type Kept = Clock;
