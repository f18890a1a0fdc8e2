import type { Toolbox } from "../domain/tool.ts";

/** A name for a tool of ours that no server's tool has. */
export function ownName(name: string, toolbox: Toolbox): string {
  return toolbox.tools.has(name) ? ownName(`tacklebox_${name}`, toolbox) : name;
}
