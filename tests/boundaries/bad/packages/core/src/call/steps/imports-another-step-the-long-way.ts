// breaks boundaries/core-rooms
import { decide } from "../../call/steps/decide.ts";
export const borrowed = decide;
