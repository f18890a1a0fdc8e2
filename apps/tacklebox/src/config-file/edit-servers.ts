import { isDeepStrictEqual } from "node:util";
import { DEFAULT_TOOL_LIMITS, type Dialect, formatDuration } from "@tacklebox/core";
import type { Edit } from "./edit-text.ts";
import type { EditPath } from "./edit-tree.ts";

type Entry = Readonly<Record<string, unknown>>;

/** Where a file keeps its servers. */
export interface ServersPlace {
  readonly dialect: Dialect;
  readonly path: EditPath;
}

/** A server as the file has it, which may not be how it should be. */
export interface WrittenServer {
  readonly name: string;
  readonly path: EditPath;
  readonly entry: Entry;
}

const PLACES: readonly ServersPlace[] = [
  { dialect: "toolbox", path: ["myai", "toolbox", "mcps"] },
  { dialect: "gateway", path: ["tools", "mcp_servers"] },
  { dialect: "mcp-servers", path: ["mcpServers"] },
  { dialect: "mcp-servers", path: ["context_servers"] },
];
const NATIVE_PLACE: ServersPlace = { dialect: "native", path: ["servers"] };

/** By the same signs the config is read by; a file that has none yet becomes one of ours. */
export function findPlace(root: unknown): ServersPlace {
  const found = PLACES.find(({ dialect, path }) =>
    dialect === "toolbox" ? isMap(valueAt(root, ["myai", "toolbox"])) : valueAt(root, path) !== undefined,
  );
  return found ?? (isVsCode(root) ? { ...NATIVE_PLACE, dialect: "mcp-servers" } : NATIVE_PLACE);
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

/** Writes servers behind those that are there. */
export function addEdit({ dialect, path }: ServersPlace, servers: ReadonlyMap<string, Entry>): Edit {
  const entries = [...servers].map(([name, entry]) => [name, toDialect(dialect, name, entry)] as const);
  const added = dialect === "toolbox" ? entries.map(([, entry]) => entry) : Object.fromEntries(entries);
  return { kind: "add", path, added };
}

/** What has to change for the server to be on or off; nothing when it is. */
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

/** Whether the file has this server already; being switched on or off makes no other one of it. */
export function isSameServer({ dialect }: ServersPlace, written: WrittenServer, entry: Entry): boolean {
  const wanted = toDialect(dialect, written.name, entry);
  return isDeepStrictEqual(withoutSwitch(written.entry), withoutSwitch(wanted));
}

/** Why a file of this dialect cannot have such a server; undefined when it can. */
export function whyNotHere({ dialect }: ServersPlace, entry: Entry): string | undefined {
  if (dialect === "toolbox" && !("url" in entry)) return "servers below 'myai.toolbox' are reached by url";
  const isExact = "transport" in entry && entry.transport !== "http" && entry.transport !== "stdio";
  if (dialect === "gateway" && isExact) return "servers below 'tools.mcp_servers' use transport stdio or http";
  return undefined;
}

/** One of our entries as the file's other entries are written. */
function toDialect(dialect: Dialect, name: string, entry: Entry): Entry {
  if (dialect === "native") return entry;
  const { transport, enabled, timeout, ...rest } = entry;
  const kind = transport ?? ("url" in entry ? "http" : undefined);
  if (dialect === "gateway") return { ...(kind === undefined ? {} : { transport: kind }), ...omitTransport(entry) };
  if (dialect === "toolbox") {
    const exact = kind === "sse" ? "sse" : "streamable_http";
    return { name, transport: exact, ...omitTransport(entry), ...toolboxMode(entry) };
  }
  return {
    ...(transport === undefined ? {} : { type: transport }),
    ...rest,
    // The other programs count in milliseconds.
    ...(timeout === undefined ? {} : { timeout: typeof timeout === "number" ? timeout * 1_000 : timeout }),
    ...(enabled === false ? { disabled: true } : {}),
  };
}

function omitTransport({ transport: _transport, ...rest }: Entry): Entry {
  return rest;
}

/** S4.2 and S4.9 want these written; they are what a server gets anywhere else when nobody says so. */
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

function isVsCode(root: unknown): boolean {
  if (!isMap(root)) return false;
  if ("inputs" in root) return true;
  return isMap(root.servers) && Object.values(root.servers).some((entry) => isMap(entry) && "type" in entry);
}

function valueAt(root: unknown, path: EditPath): unknown {
  return path.reduce<unknown>((value, step) => (isMap(value) ? value[String(step)] : undefined), root);
}

function isMap(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
