// breaks boundaries/core-rooms
import { ENDINGS } from "../index.ts";
export const borrowed = ENDINGS;
