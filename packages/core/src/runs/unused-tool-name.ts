import type { Toolbox } from "../domain/tool.ts";

/** Returns a name for a built-in tool that no server's tool has. */
export function unusedToolName(name: string, toolbox: Toolbox): string {
  return toolbox.tools.has(name) ? unusedToolName(`tacklebox_${name}`, toolbox) : name;
}
