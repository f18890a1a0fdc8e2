// breaks nothing
import { callTool } from "../call/call-tool.ts";
import type { Engine } from "../engine.ts";
export const kept = callTool;
export type Kept = Engine;
