import { canonicalJson } from "../domain/json.ts";
import type { ToolboxSettings } from "../domain/tool.ts";
import type { ServerChange } from "./servers.ts";

const WHAT = {
  added: "added",
  removed: "removed",
  reconnected: "changed, connected anew",
  governed: "changed, connection kept",
} as const;

/** One line per thing that a reload changed (S4.36). Names only: values may be secrets. */
export function describeChanges(
  changes: readonly ServerChange[],
  before: ToolboxSettings,
  after: ToolboxSettings,
): string[] {
  const servers = changes
    .filter(({ definition }) => definition.scope !== "local")
    .map(({ kind, definition }) => `Configuration: server '${definition.name}' ${WHAT[kind]}`);
  const settings = (Object.keys(after) as (keyof ToolboxSettings)[])
    .filter((key) => canonicalJson(before[key]) !== canonicalJson(after[key]))
    .map((key) => `Configuration: toolbox.${SETTING_NAMES[key]} changed`);
  return [...servers, ...settings];
}

const SETTING_NAMES = {
  maxConcurrent: "max_concurrent",
  maxWaitMs: "max_wait",
  local: "local",
  tools: "tools",
  collisions: "collisions",
  localCollision: "local_collision",
} satisfies Record<keyof ToolboxSettings, string>;
