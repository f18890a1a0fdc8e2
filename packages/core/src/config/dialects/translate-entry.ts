import { isMap } from "../document/check-shape.ts";
import { type Path, printable } from "../document/path.ts";
import type { DialectRules } from "../entries/to-definition.ts";

/** How entries of other programs' files are read, including the meaning of missing fields. */
export const OTHER_PROGRAMS_RULES: DialectRules = {
  launch: {
    notation: "mcp-servers",
    advice: "names to write",
    absent: "infer",
    misplaced: "ignore",
    plainHttp: "warn",
  },
  required: false,
};

interface TranslationWarning {
  readonly key: string;
  readonly text: string;
}

export type Translation =
  | {
      readonly kind: "ok";
      readonly entry: unknown;
      /** The path in the original entry of each renamed key. */
      readonly origins: ReadonlyMap<string, Path>;
      readonly warnings: readonly TranslationWarning[];
    }
  | { readonly kind: "skipped"; readonly warnings: readonly TranslationWarning[] };

/** Other programs' names for our keys. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["type", "transport"],
  ["transportType", "transport"],
  ["serverUrl", "url"],
  ["httpUrl", "url"],
  ["disabledTools", "deny"],
  ["excludeTools", "deny"],
  ["includeTools", "allow"],
  ["tools", "allow"],
]);

/** Keys of other programs that have no counterpart here. */
const IGNORED: ReadonlySet<string> = new Set([
  "alwaysAllow",
  "auth",
  "autoApprove",
  "dev",
  "envFile",
  "gallery",
  "icon",
  "name",
  "oauth",
  "providerOptions",
  "sandbox",
  "sandboxEnabled",
  "settings",
  "source",
  "trust",
  "version",
]);

const MAX_TIMEOUT_MS = 300_000;
const MIN_TIMEOUT_MS = 1_000;

/** Translates an entry of another program's file to our own keys. Unknown keys are left for the schema to refuse. */
export function translateEntry(name: string, value: unknown): Translation {
  if (!isMap(value)) return { kind: "ok", entry: value, origins: new Map(), warnings: [] };
  if (value.source === "extension") {
    const text = `MCP server '${printable(name)}' is started by an editor's extension and is left out here`;
    return { kind: "skipped", warnings: [{ key: "source", text }] };
  }
  const entry: Record<string, unknown> = {};
  const origins = new Map<string, Path>();
  const warnings: TranslationWarning[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (IGNORED.has(key)) {
      warnings.push({
        key,
        text: `'${key}' of MCP server '${printable(name)}' has no equivalent here and is ignored`,
      });
      continue;
    }
    if (key === "timeout" && typeof member === "number") {
      const { seconds, warning } = toSeconds(member, name);
      if (warning !== undefined) warnings.push({ key, text: warning });
      entry.timeout = seconds;
      continue;
    }
    if (key === "disabled") {
      entry.enabled = typeof member === "boolean" ? !member && value.enabled !== false : member;
      origins.set("enabled", [key]);
      continue;
    }
    if (key === "enabled" && "disabled" in value) continue;
    const ours = RENAMED.get(key);
    if (ours !== undefined && ours in value) continue;
    if (ours !== undefined) origins.set(ours, [key]);
    entry[ours ?? key] = member;
  }
  if ("httpUrl" in value && entry.transport === undefined) entry.transport = "streamable-http";
  liftCommand(entry, origins);
  return { kind: "ok", entry, origins, warnings };
}

/** Flattens Zed's `command: { path, args, env }`. */
function liftCommand(entry: Record<string, unknown>, origins: Map<string, Path>): void {
  const { command } = entry;
  if (!isMap(command)) return;
  entry.command = command.path;
  origins.set("command", ["command", "path"]);
  for (const key of ["args", "env"]) {
    if (!(key in command) || key in entry) continue;
    entry[key] = command[key];
    origins.set(key, ["command", key]);
  }
}

/** Converts a timeout in milliseconds. One out of our range is adjusted, because the file works elsewhere. */
function toSeconds(ms: number, name: string): { seconds?: number; warning?: string } {
  const range = `'timeout' of MCP server '${printable(name)}' is outside the range 1000 to 300000 (milliseconds)`;
  if (ms > MAX_TIMEOUT_MS) return { seconds: MAX_TIMEOUT_MS / 1_000, warning: `${range}; 300000 is used` };
  if (ms >= MIN_TIMEOUT_MS) return { seconds: ms / 1_000 };
  return { warning: `${range}; 30000 is used` };
}
