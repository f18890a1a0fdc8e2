import { LOCAL_TOOLS } from "../../catalog/local-tools.ts";
import { DEFAULT_MAX_CONCURRENT, DEFAULT_MAX_WAIT_MS } from "../../domain/limits.ts";
import { DEFAULT_SEARCH, type SearchSettings } from "../../domain/search-settings.ts";
import type { ToolboxSettings } from "../../domain/tool.ts";
import type { ToolEntry } from "../../domain/tool-entry.ts";
import { suggestion } from "../../text/nearest-name.ts";
import { checkShape } from "../document/check-shape.ts";
import { type Path, printable } from "../document/path.ts";
import type { Report } from "../document/report.ts";
import { type SearchFields, type ToolboxFields, ToolFields } from "./server-entry.ts";
import { toLimits } from "./to-definition.ts";

export const DEFAULT_TOOLBOX: ToolboxSettings = {
  maxConcurrent: DEFAULT_MAX_CONCURRENT,
  maxWaitMs: DEFAULT_MAX_WAIT_MS,
  local: [],
  tools: [],
  collisions: "qualify",
  keepsNames: true,
  localCollision: "local_wins",
  writtenAs: "toolbox",
  search: DEFAULT_SEARCH,
};

/** `servers` are the names a tool's entry may be bound to. */
export function toToolboxSettings(
  fields: ToolboxFields,
  servers: readonly string[],
  path: Path,
  report: Report,
): ToolboxSettings {
  const local = fields.local ?? DEFAULT_TOOLBOX.local;
  refuseRepeats(
    local,
    (index) => [...path, "local", index],
    (name) => `'${printable(name)}' is in 'local' twice; remove one`,
    report,
  );
  refuseUnknownLocals(local, [...path, "local"], report);
  return {
    maxConcurrent: fields.max_concurrent ?? DEFAULT_TOOLBOX.maxConcurrent,
    maxWaitMs: fields.max_wait ?? DEFAULT_TOOLBOX.maxWaitMs,
    local,
    tools: toToolEntries(fields.tools ?? [], servers, [...path, "tools"], report),
    collisions: fields.collisions ?? DEFAULT_TOOLBOX.collisions,
    keepsNames: DEFAULT_TOOLBOX.keepsNames,
    localCollision: fields.local_collision ?? DEFAULT_TOOLBOX.localCollision,
    writtenAs: DEFAULT_TOOLBOX.writtenAs,
    search: toSearchSettings(fields.search ?? {}),
  };
}

function toSearchSettings(fields: SearchFields): SearchSettings {
  const { budget, top_k, top_n, include_score, embeddings, rerank } = fields;
  return {
    ...(budget ? { budgetTokens: budget } : {}),
    topK: top_k ?? DEFAULT_SEARCH.topK,
    topN: top_n ?? DEFAULT_SEARCH.topN,
    includeScore: include_score ?? DEFAULT_SEARCH.includeScore,
    ...(embeddings ? { embeddings } : {}),
    ...(rerank ? { rerank } : {}),
  };
}

function refuseUnknownLocals(local: readonly string[], path: Path, report: Report): void {
  const known = LOCAL_TOOLS.map(({ name }) => name);
  for (const [index, name] of local.entries()) {
    if (known.includes(name)) continue;
    const advice = suggestion(name, known) || ` Local tools: ${known.join(", ")}`;
    report.problem([...path, index], `'${printable(name)}' is not a local tool.${advice}`);
  }
}

function toToolEntries(list: readonly unknown[], servers: readonly string[], path: Path, report: Report): ToolEntry[] {
  const entries: ToolEntry[] = [];
  const seen = new Set<string>();
  for (const [index, value] of list.entries()) {
    const at = [...path, index];
    const fields = checkShape(ToolFields, value, at, report);
    if (fields === undefined) continue;
    const entry = toToolEntry(fields, servers, at, report);
    const identity = JSON.stringify([entry.name, entry.server]);
    if (seen.has(identity)) report.problem([...at, "name"], repeatedTool(entry));
    seen.add(identity);
    entries.push(entry);
  }
  return entries;
}

function toToolEntry(fields: ToolFields, servers: readonly string[], path: Path, report: Report): ToolEntry {
  if (fields.server && fields.mcp && fields.server !== fields.mcp) {
    report.problem(
      [...path, "mcp"],
      `Tool '${printable(fields.name)}' names one server as 'server' and another as 'mcp'; keep one`,
      "key",
    );
  }
  const server = fields.server ?? fields.mcp ?? undefined;
  const field = fields.server ? "server" : "mcp";
  if (server !== undefined && !isBindable(server, servers) && !report.isBroken([...path, field])) {
    report.problem(
      [...path, field],
      `Tool '${printable(fields.name)}' is bound to server '${printable(server)}', which is not configured.${suggestion(server, [...servers.slice(0, MAX_SUGGESTIONS), "local"])}`,
    );
  }
  return {
    name: fields.name,
    ...(server === undefined ? {} : { server }),
    ...toLimits(fields),
    ...(fields.approval ? { approval: fields.approval } : {}),
    ...(fields.include ? { include: fields.include } : {}),
    ...(fields.mode ? { mode: fields.mode } : {}),
  };
}

/** Comparing every misspelt name with thousands of others would take minutes. */
const MAX_SUGGESTIONS = 200;

function isBindable(server: string, servers: readonly string[]): boolean {
  return server === "local" || servers.includes(server);
}

function repeatedTool({ name, server }: ToolEntry): string {
  const bound = server === undefined ? "" : ` for server '${printable(server)}'`;
  return `Tool '${printable(name)}' is configured twice in 'tools'${bound}; remove one of the entries`;
}

/** Reports every name that occurred before. */
export function refuseRepeats(
  names: readonly string[],
  pathOf: (index: number) => Path,
  textOf: (name: string) => string,
  report: Report,
): void {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (seen.has(name)) report.problem(pathOf(index), textOf(name));
    seen.add(name);
  }
}
