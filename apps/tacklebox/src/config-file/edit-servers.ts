import { isDeepStrictEqual } from "node:util";
import {
  DEFAULT_TOOL_LIMITS,
  type Dialect,
  formatDuration,
  type ServersPlace,
  transportNameIn,
  transportNames,
} from "@tacklebox/core";
import type { Edit } from "./edit-text.ts";
import type { EditPath } from "./edit-tree.ts";

type Entry = Readonly<Record<string, unknown>>;

/** A server as it is written in the file, valid or not. */
export interface WrittenServer {
  readonly name: string;
  readonly path: EditPath;
  readonly entry: Entry;
}

export function listWritten(root: unknown, { path }: ServersPlace): readonly WrittenServer[] {
  const written = valueAt(root, path);
  if (Array.isArray(written))
    return written.flatMap((item: unknown, index) =>
      isMap(item) ? [{ name: String(item.name), path: [...path, index], entry: item }] : [],
    );
  if (!isMap(written)) return [];
  return Object.entries(written).map(([name, value]) => ({
    name,
    path: [...path, name],
    entry: isMap(value) ? value : {},
  }));
}

/** The edit that adds servers after the existing ones. */
export function addEdit({ dialect, path }: ServersPlace, servers: ReadonlyMap<string, Entry>): Edit {
  const entries = [...servers].map(([name, entry]) => [name, toDialect(dialect, name, entry)] as const);
  const added = dialect === "toolbox" ? entries.map(([, entry]) => entry) : Object.fromEntries(entries);
  return { kind: "add", path, added };
}

/** The edits that switch a server on or off; none when it already is. */
export function switchEdits({ dialect }: ServersPlace, server: WrittenServer, enabled: boolean): readonly Edit[] {
  const { entry, path } = server;
  const isOn = entry.enabled !== false && entry.disabled !== true;
  if (isOn === enabled) return [];
  const replace = (key: string, value: boolean): Edit[] =>
    key in entry && entry[key] !== value ? [{ kind: "replace", path: [...path, key], value }] : [];
  if (enabled) return [...replace("enabled", true), ...replace("disabled", false)];
  const [written] = [...replace("disabled", true), ...replace("enabled", false)];
  if (written !== undefined) return [written];
  const [key, value] = dialect === "mcp-servers" ? ["disabled", true] : ["enabled", false];
  return [{ kind: "add", path, added: { [String(key)]: value } }];
}

/** Whether a written server equals `entry`, no matter which of them is switched on. */
export function isSameServer({ dialect }: ServersPlace, written: WrittenServer, entry: Entry): boolean {
  const wanted = toDialect(dialect, written.name, entry);
  return isDeepStrictEqual(withoutSwitch(written.entry), withoutSwitch(wanted));
}

/** Says why a file of this dialect cannot contain such a server; undefined when it can. */
export function whyUnsupported({ dialect, path }: ServersPlace, entry: Entry): string | undefined {
  if (dialect === "toolbox" && !("url" in entry)) return "servers below 'myai.toolbox' are reached by url";
  if (transportNameIn(dialect, entry) !== undefined) return undefined;
  return `servers below '${path.join(".")}' use transport ${transportNames(dialect).join(" or ")}`;
}

/** Translates an entry from our own dialect to the file's. */
function toDialect(dialect: Dialect, name: string, entry: Entry): Entry {
  if (dialect === "native") return entry;
  const { transport, enabled, timeout, ...rest } = entry;
  const transportName = transportNameIn(dialect, entry);
  if (dialect === "gateway") {
    const isNamed = transport !== undefined || "url" in entry;
    return { ...(isNamed ? { transport: transportName } : {}), ...omitTransport(entry) };
  }
  if (dialect === "toolbox") return { name, transport: transportName, ...omitTransport(entry), ...toolboxMode(entry) };
  return {
    ...(transport === undefined ? {} : { type: transportName }),
    ...rest,
    // Programs that read this dialect count in milliseconds.
    ...(timeout === undefined ? {} : { timeout: typeof timeout === "number" ? timeout * 1_000 : timeout }),
    ...(enabled === false ? { disabled: true } : {}),
  };
}

function omitTransport({ transport: _transport, ...rest }: Entry): Entry {
  return rest;
}

/** The mode and limits a toolbox file must state. They are the defaults of the other dialects. */
function toolboxMode({ mode, default_tool_config }: Entry): Entry {
  if (mode === "strict" || (mode === "dynamic" && default_tool_config !== undefined)) return {};
  const { maxInstances, timeoutMs } = DEFAULT_TOOL_LIMITS;
  const limits = { max_instances: maxInstances, timeout: formatDuration(timeoutMs) };
  return { mode: "dynamic", default_tool_config: limits };
}

function withoutSwitch(entry: Entry): Entry {
  const { enabled: _enabled, disabled: _disabled, ...rest } = entry;
  return rest;
}

function valueAt(root: unknown, path: EditPath): unknown {
  return path.reduce<unknown>((value, step) => (isMap(value) ? value[String(step)] : undefined), root);
}

function isMap(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
