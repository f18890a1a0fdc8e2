import { DEFAULT_TOOLBOX } from "../config/entries/to-toolbox-settings.ts";
import { type ServerDefinition, UNGOVERNED } from "../domain/server.ts";
import type { ToolboxSettings } from "../domain/tool.ts";

/** A server with default settings; tests pass only what matters to them. */
export function testDefinition(key: string, changes: Partial<ServerDefinition> = {}): ServerDefinition {
  return {
    scope: "agent",
    key,
    name: key,
    launch: { transport: "stdio", command: key, args: [], env: {} },
    ...UNGOVERNED,
    ...changes,
  };
}

export function testSettings(changes: Partial<ToolboxSettings> = {}): ToolboxSettings {
  return { ...DEFAULT_TOOLBOX, ...changes };
}
