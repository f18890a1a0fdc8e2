// breaks boundaries/core-rooms
import { callTool } from "../call-tool.ts";
export const borrowed = callTool;
