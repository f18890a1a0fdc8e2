// breaks boundaries/core-rooms
import type { Clock } from "../ports/clock.ts";
export type Borrowed = Clock;
