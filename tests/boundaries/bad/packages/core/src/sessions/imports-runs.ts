// breaks boundaries/core-rooms
import { runPrompt } from "../runs/run-prompt.ts";
export const borrowed = runPrompt;
