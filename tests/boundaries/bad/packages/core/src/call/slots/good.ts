// breaks nothing
import type { Clock } from "../../ports/clock.ts";
import { queue } from "./queue.ts";
export const kept = queue;
export type Kept = Clock;
