import { DEFAULT_TOOL_LIMITS, type ToolLimits } from "../domain/limits.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { HiddenReason, HiddenTool, Tool, ToolboxSettings, ToolListing, ToolRef } from "../domain/tool.ts";
import type { ToolEntry } from "../domain/tool-entry.ts";
import { matchesAny } from "../text/name-pattern.ts";
import { missingToolNotices } from "./missing-tools.ts";
import type { Notice, Registration, ToolCandidate, Violation } from "./registration.ts";
import * as texts from "./registration-texts.ts";

/** One server to register; without a listing, it is not connected. */
export interface RegisteringServer {
  readonly definition: ServerDefinition;
  readonly listing: ToolListing | undefined;
  /** Names seen by the last successful start; undefined if there was none. */
  readonly knownNames: ReadonlySet<string> | undefined;
  /** Names that the server is known to have had at any time. */
  readonly namesEverKnown: ReadonlySet<string>;
}

/**
 * Registers tools in strict and dynamic mode (S4.11 to S4.16), in configuration order. Pure, and called again whenever
 * a listing, a server or the settings change, so that start, list_changed and reload cannot differ.
 */
export function registerTools(settings: ToolboxSettings, servers: readonly RegisteringServer[]): Registration {
  const candidates: ToolCandidate[] = [];
  const hidden: HiddenTool[] = [];
  const notices: Notice[] = [];
  const violations: Violation[] = [];
  const entries = entriesByName(settings);

  for (const server of servers) {
    const { definition, listing } = server;
    if (listing === undefined) continue;
    if (listing.tools.length === 0 && definition.scope !== "local")
      notices.push({ key: `empty:${definition.key}`, level: "warn", text: texts.noToolsText(definition) });
    const usable = listing.quarantined.length === 0 ? undefined : new Set(listing.tools.map(({ name }) => name));
    for (const { name, reason } of listing.quarantined) {
      if (!usable?.has(name))
        hidden.push({ ref: refOf(definition, name), reason: { kind: "quarantined", detail: reason } });
      const text = `Tool '${name}' from MCP server '${definition.name}' is set aside: ${reason}`;
      const { key: server } = definition;
      notices.push({ key: `quarantined:${server}:${name}`, level: "warn", text, server });
    }
    for (const tool of listing.tools) {
      const verdict = registerTool(tool, server, settings, entries);
      if (verdict.kind === "registered") candidates.push(verdict.candidate);
      if (verdict.kind === "hidden") hidden.push({ ref: refOf(definition, tool.name), reason: verdict.reason });
      if (verdict.kind === "hidden" && verdict.violation) violations.push(verdict.violation);
      if (verdict.notice) notices.push(verdict.notice);
    }
  }
  notices.push(...missingToolNotices(settings, servers));
  return { candidates, hidden, notices, violations };
}

type Verdict =
  | { kind: "registered"; candidate: ToolCandidate; notice?: Notice }
  | { kind: "hidden"; reason: HiddenReason; violation?: Violation; notice?: undefined };

function registerTool(
  tool: Tool,
  server: RegisteringServer,
  settings: ToolboxSettings,
  entries: EntriesByName,
): Verdict {
  const { definition } = server;
  const entry = entryFor(entries, definition, tool.name);
  const reason = exclusion(tool.name, definition, entry, settings);
  if (reason?.kind === "unconfigured")
    return { kind: "hidden", reason, violation: violationOf(tool, definition, settings) };
  if (reason !== undefined) return { kind: "hidden", reason };

  const strict = isStrict(definition, entry);

  const defaults = strict ? {} : definition.defaultToolConfig;
  const limits = mergeLimits(entry, defaults, definition);
  const approval = entry?.approval ?? definition.approval;
  const candidate: ToolCandidate = {
    ref: refOf(definition, tool.name),
    tool,
    limits,
    configuredBy: entry === undefined ? "default" : strict ? "explicit" : "merged",
    include: entry?.include ?? definition.include,
    ...(entry?.include !== undefined && { includeBy: "tool" }),
    ...(approval !== undefined && { approval }),
  };
  return { kind: "registered", candidate, notice: noticeFor(candidate, entry, defaults, server) };
}

function noticeFor(
  { ref, limits, configuredBy }: ToolCandidate,
  entry: ToolEntry | undefined,
  defaults: Partial<ToolLimits>,
  { knownNames, namesEverKnown }: RegisteringServer,
): Notice {
  const about = { key: `registered:${ref.scope}:${ref.server}:${ref.name}`, server: ref.server };
  if (configuredBy === "explicit") return { ...about, level: "debug", text: texts.explicitText(ref.name, limits) };
  if (configuredBy === "merged")
    return { ...about, level: "debug", text: texts.mergedText(ref.name, explicitLimits(entry), defaults, limits) };
  const isNew = knownNames !== undefined && !knownNames.has(ref.name) && !namesEverKnown.has(ref.name);
  const text = isNew ? texts.newToolText(ref.name, ref.server) : texts.usesDefaultsText(ref.name, ref.server);
  return { ...about, level: "info", text };
}

function isStrict({ mode }: ServerDefinition, entry: ToolEntry | undefined): boolean {
  return (entry?.mode ?? mode) === "strict";
}

function violationOf(tool: Tool, definition: ServerDefinition, settings: ToolboxSettings): Violation {
  const local = definition.scope === "local";
  const text = local
    ? texts.localUnconfiguredText(tool.name, settings)
    : texts.strictViolationText(tool.name, definition.name, settings);
  return {
    kind: local ? "local-unconfigured" : "strict-violation",
    server: definition.key,
    tool: tool.name,
    text,
  };
}

/** Why the configuration keeps a tool of this name out, whether or not the server has it; undefined if it does not. */
export function exclusionOf(
  tool: string,
  definition: ServerDefinition,
  settings: ToolboxSettings,
): HiddenReason | undefined {
  return exclusion(tool, definition, findEntry(settings, definition, tool), settings);
}

type Exclusion = Extract<HiddenReason, { kind: "not-allowed" | "unconfigured" }>;

/** Deny wins. */
function exclusion(
  tool: string,
  definition: ServerDefinition,
  entry: ToolEntry | undefined,
  { writtenAs }: ToolboxSettings,
): Exclusion | undefined {
  const { scope, allow, deny, name } = definition;
  if (scope === "local" && !allow.includes(tool))
    return { kind: "not-allowed", by: "local", detail: `${writtenAs}.local does not name '${tool}'` };
  if (matchesAny(deny, tool))
    return { kind: "not-allowed", by: "deny", detail: `the deny list of '${name}' names '${tool}'` };
  if (allow.length > 0 && !matchesAny(allow, tool))
    return { kind: "not-allowed", by: "allow", detail: `the allow list of '${name}' does not name '${tool}'` };
  if (entry !== undefined || !isStrict(definition, entry)) return undefined;
  const detail =
    scope === "local"
      ? `local tools must be listed in ${writtenAs}.tools, and '${tool}' is not`
      : `'${name}' is strict and '${tool}' is not in ${writtenAs}.tools`;
  return { kind: "unconfigured", detail };
}

type EntriesByName = ReadonlyMap<string, readonly ToolEntry[]>;

/**
 * A map, because each tool is looked up once: searching the list would take quadratic time if every tool has an entry.
 */
function entriesByName({ tools }: ToolboxSettings): EntriesByName {
  const entries = new Map<string, ToolEntry[]>();
  for (const entry of tools) {
    const named = entries.get(entry.name);
    if (named === undefined) entries.set(entry.name, [entry]);
    else named.push(entry);
  }
  return entries;
}

function entryFor(entries: EntriesByName, definition: ServerDefinition, tool: string): ToolEntry | undefined {
  return chooseEntry(entries.get(tool) ?? [], definition, tool);
}

/** The configuration entry that applies to a server's tool. */
export function findEntry(
  { tools }: ToolboxSettings,
  definition: ServerDefinition,
  tool: string,
): ToolEntry | undefined {
  return chooseEntry(
    tools.filter(({ name }) => name === tool),
    definition,
    tool,
  );
}

/** Session servers ignore the operator's entries; an entry bound to the server wins over a general one. */
function chooseEntry(named: readonly ToolEntry[], definition: ServerDefinition, tool: string): ToolEntry | undefined {
  const own = definition.tools?.find((entry) => entry.name === tool);
  if (definition.scope === "session") return own;
  return (
    named.find((entry) => entry.server === definition.key) ?? own ?? named.find((entry) => entry.server === undefined)
  );
}

/** Merges field by field, using only fields that were actually written (S4.15). */
function mergeLimits(
  entry: ToolEntry | undefined,
  defaults: Partial<ToolLimits>,
  definition: ServerDefinition,
): ToolLimits {
  return {
    maxInstances: entry?.maxInstances ?? defaults.maxInstances ?? DEFAULT_TOOL_LIMITS.maxInstances,
    timeoutMs: entry?.timeoutMs ?? defaults.timeoutMs ?? definition.timeoutMs,
  };
}

function explicitLimits(entry: ToolEntry | undefined): Partial<ToolLimits> {
  return {
    ...(entry?.maxInstances !== undefined && { maxInstances: entry.maxInstances }),
    ...(entry?.timeoutMs !== undefined && { timeoutMs: entry.timeoutMs }),
  };
}

function refOf(definition: ServerDefinition, name: string): ToolRef {
  return { scope: definition.scope, server: definition.key, name };
}
