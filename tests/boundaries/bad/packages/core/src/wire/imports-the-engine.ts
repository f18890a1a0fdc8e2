// breaks boundaries/core-rooms
import { createEngine } from "../create-engine.ts";
export const borrowed = createEngine;
