// breaks boundaries/core-rooms
import { decide } from "./decide.ts";
export const borrowed = decide;
