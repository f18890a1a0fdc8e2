import type { ToolboxSettings } from "../domain/tool.ts";
import type { EngineConfig } from "../engine-host.ts";
import { canonicalJson } from "../json/json.ts";
import type { ServerChange } from "../servers/servers.ts";

const WHAT = {
  added: "added",
  removed: "removed",
  reconnected: "changed, reconnected",
  governed: "changed, connection kept",
} as const;

/** One line per thing that a reload changed. Names only: values may be secrets. */
export function describeChanges(changes: readonly ServerChange[], before: EngineConfig, after: EngineConfig): string[] {
  const servers = changes
    .filter(({ definition }) => definition.scope !== "local")
    .map(({ kind, definition }) => `Configuration: server '${definition.name}' ${WHAT[kind]}`);
  const settings = (Object.keys(SETTING_NAMES) as (keyof typeof SETTING_NAMES)[])
    .filter((key) => !isSame(before.toolbox[key], after.toolbox[key]))
    .map((key) => `Configuration: toolbox.${SETTING_NAMES[key]} changed`);
  const models = compareNamed("model", before.models ?? [], after.models ?? [], ({ name }) => name);
  const gpts = compareNamed("GPT", before.gpts ?? [], after.gpts ?? [], ({ key }) => key);
  const calls = sameCallLog(before, after) ? [] : ["Configuration: calls changed"];
  return [...servers, ...settings, ...calls, ...models, ...gpts];
}

export function sameGpts(before: EngineConfig, after: EngineConfig): boolean {
  return isSame(before.gpts ?? [], after.gpts ?? []);
}

export function sameCallLog(before: EngineConfig, after: EngineConfig): boolean {
  return isSame(before.calls ?? null, after.calls ?? null);
}

function compareNamed<T>(
  what: "model" | "GPT",
  before: readonly T[],
  after: readonly T[],
  nameOf: (entry: T) => string,
): string[] {
  const old = new Map(before.map((entry) => [nameOf(entry), entry]));
  const kept = new Set(after.map(nameOf));
  const now = after.flatMap((entry) => {
    const name = nameOf(entry);
    if (!old.has(name)) return [`Configuration: ${what} '${name}' added`];
    return isSame(old.get(name), entry) ? [] : [`Configuration: ${what} '${name}' changed`];
  });
  const gone = [...old.keys()].filter((name) => !kept.has(name));
  return [...now, ...gone.map((name) => `Configuration: ${what} '${name}' removed`)];
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

const SETTING_NAMES = {
  maxConcurrent: "max_concurrent",
  maxWaitMs: "max_wait",
  local: "local",
  tools: "tools",
  collisions: "collisions",
  keepsNames: "names",
  localCollision: "local_collision",
  search: "search",
} satisfies Record<keyof Omit<ToolboxSettings, "writtenAs">, string>;
