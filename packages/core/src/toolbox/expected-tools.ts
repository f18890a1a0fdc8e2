import type { RegisteredTool, Tool, Toolbox, ToolboxSettings, ToolRef } from "../domain/tool.ts";
import type { NamedTools } from "./names/assign-names.ts";
import { identityOf, type NameIndex } from "./names/name-index.ts";
import { toQualifiedShownName, toShownName } from "./names/shown-name.ts";
import { type RegisteringServer, registerTools } from "./register-tools.ts";
import type { ToolCandidate } from "./registration.ts";

/** A server without a listing, with what it offered last time. */
export interface ExpectedServer extends RegisteringServer {
  readonly namesOfLastTime: ReadonlySet<string> | undefined;
  /** True until its first connection attempt is over. */
  readonly isComing: boolean;
}

/** Marks the stand-ins, which are copied on their way through naming while their `tool` stays the same object. */
const standIns = new WeakSet<Tool>();

/**
 * All candidates in configuration order, with stand-ins for the tools of servers that are still coming. Names are
 * given out as if those servers were up, so that which tool has a name does not depend on which server was faster.
 * Returns undefined if no stand-in is needed.
 */
export function withExpectedTools(
  settings: ToolboxSettings,
  servers: readonly ExpectedServer[],
): readonly ToolCandidate[] | undefined {
  if (!servers.some((server) => server.isComing && isExpected(server))) return undefined;
  return registerTools(
    settings,
    servers.map((server) => (server.isComing && isExpected(server) ? withStandIns(server) : server)),
  ).candidates;
}

/** Takes the stand-ins out again: they hold names, but are neither tools nor hidden tools. */
export function separateExpected(
  candidates: readonly ToolCandidate[],
  named: NamedTools,
): Omit<NamedTools, "notices"> & { readonly expected: Map<string, RegisteredTool> } {
  const { tools, hidden, nameless, conflicts } = named;
  const absent = new Set(candidates.flatMap(({ tool, ref }) => (standIns.has(tool) ? [identityOf(ref)] : [])));
  const expected = new Map<string, RegisteredTool>();
  if (absent.size === 0) return { tools, hidden, nameless, conflicts, expected };
  const present = new Map<string, RegisteredTool>();
  for (const [name, tool] of tools) (standIns.has(tool.tool) ? expected : present).set(name, tool);
  const isPresent = (one: { readonly ref: ToolRef }) => !absent.has(identityOf(one.ref));
  return {
    tools: present,
    hidden: hidden.filter(isPresent),
    nameless: nameless.filter(isPresent),
    conflicts: conflicts.filter(isPresent),
    expected,
  };
}

/**
 * Adds the tools of servers that did not come up to what is expected, by every name that callers may know them by, as
 * far as no other tool has taken it.
 */
export function addAbsentTools(
  { tools, expected }: { readonly tools: Toolbox["tools"]; readonly expected: Map<string, RegisteredTool> },
  settings: ToolboxSettings,
  servers: readonly ExpectedServer[],
  held: NameIndex,
): void {
  const absent = servers.filter((server) => !server.isComing && isExpected(server));
  if (absent.length === 0) return;
  const { candidates } = registerTools(settings, absent.map(withStandIns));
  const ways: readonly ((ref: ToolRef) => string | undefined)[] = [
    (ref) => held.nameOf(ref),
    ({ name }) => toShownName(name),
    ({ server, name }) => toQualifiedShownName(server, name),
  ];
  for (const nameOf of ways)
    for (const candidate of candidates) {
      const shownName = nameOf(candidate.ref);
      if (shownName === undefined || tools.has(shownName) || expected.has(shownName)) continue;
      expected.set(shownName, { ...candidate, shownName });
    }
}

function isExpected({ listing, namesOfLastTime }: ExpectedServer): boolean {
  return listing === undefined && namesOfLastTime !== undefined && namesOfLastTime.size > 0;
}

function withStandIns({ definition, namesOfLastTime = new Set() }: ExpectedServer): RegisteringServer {
  const tools = Array.from(namesOfLastTime, (name): Tool => {
    const tool = { name, description: "", inputSchema: { type: "object" }, raw: {} };
    standIns.add(tool);
    return tool;
  });
  return { definition, listing: { tools, quarantined: [] }, knownNames: undefined, namesEverKnown: new Set() };
}
