import type * as z from "zod/mini";
import type { JsonObject, JsonSchema } from "../json/json.ts";
import type { MirroredArgument } from "../json/mirrored-arguments.ts";
import { object, string } from "../json/schema.ts";
import type { IncludeMode, ToolApproval } from "./approval.ts";
import type { ToolLimits } from "./limits.ts";
import type { SearchSettings } from "./search-settings.ts";
import { Scope } from "./server.ts";
import type { ToolEntry } from "./tool-entry.ts";

/** Identifies a tool, whatever name models see. */
export const ToolRef = object({
  scope: Scope,
  server: string,
  name: string,
});
export type ToolRef = z.infer<typeof ToolRef>;

/** A tool as its server listed it. `raw` is the entry as sent, for re-exposing and fingerprints. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: JsonObject;
  /** The arguments that are repeated in HTTP headers; absent if none is. */
  readonly mirrored?: readonly MirroredArgument[];
  readonly raw: JsonObject;
}

/** One entry of a server's list that cannot be used, and why. The rest of the list is not affected. */
export interface QuarantinedTool {
  readonly name: string;
  readonly reason: string;
}

export interface ToolListing {
  readonly tools: readonly Tool[];
  readonly quarantined: readonly QuarantinedTool[];
}

/** A tool implemented by a function of this process. */
export interface LocalTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly run: (args: JsonObject, now: Date) => string;
}

export interface ToolboxSettings {
  readonly maxConcurrent: number;
  /** How long a call may wait for a slot. */
  readonly maxWaitMs: number;
  readonly local: readonly string[];
  readonly tools: readonly ToolEntry[];
  readonly collisions: "hide" | "qualify";
  /**
   * Whether tools keep their names from one start to the next. In toolbox files they do not: at each start, the last
   * registered wins (S4.28).
   */
  readonly keepsNames: boolean;
  readonly localCollision: "local_wins" | "last_wins";
  /** The key of these settings in the file, for messages that name one of them. */
  readonly writtenAs: "toolbox" | "myai.toolbox";
  readonly search: SearchSettings;
}

/** A callable tool, with all the settings that apply to it. */
export interface RegisteredTool {
  readonly ref: ToolRef;
  readonly shownName: string;
  readonly tool: Tool;
  readonly limits: ToolLimits;
  readonly configuredBy: "explicit" | "merged" | "default";
  readonly approval?: ToolApproval;
  readonly include: IncludeMode;
  /** Set if `include` was configured for this tool itself rather than for its server. */
  readonly includeBy?: "tool";
}

export type HiddenReason =
  | { readonly kind: "quarantined"; readonly detail: string }
  /** A list of its server does; of local tools, the list of those that are wanted. */
  | { readonly kind: "not-allowed"; readonly by: "allow" | "deny" | "local"; readonly detail: string }
  | { readonly kind: "unconfigured"; readonly detail: string }
  | { readonly kind: "collision"; readonly detail: string; readonly winner: ToolRef }
  /** Its server was replaced by a session's server of the same name. */
  | { readonly kind: "replaced"; readonly detail: string };

/**
 * A tool that has no shown name, kept so that `why` can explain it. It may not be called, unless a collision alone hides
 * it: then it is called together with its server.
 */
export interface HiddenTool {
  readonly ref: ToolRef;
  readonly reason: HiddenReason;
}

/** A shown name and the tool it belongs to. */
export interface HeldName {
  readonly name: string;
  readonly ref: ToolRef;
}

/** A tool that was refused the shown name it asked for, because that belongs to another tool. */
export interface NameConflict {
  readonly ref: ToolRef;
  readonly wanted: string;
  readonly holder: ToolRef;
  /** The name it got instead; absent if it has none. */
  readonly shownName?: string;
}

export interface Toolbox {
  /** By shown name. */
  readonly tools: ReadonlyMap<string, RegisteredTool>;
  /** By server, then by the server's own name for the tool. Includes the tools without a shown name. */
  readonly servers: ReadonlyMap<string, ReadonlyMap<string, RegisteredTool>>;
  /** The names of all configured servers, also of those that have no tools now. */
  readonly serverNames: ReadonlySet<string>;
  /** Tools that may be called, but only together with their server: another tool has their name. */
  readonly nameless: readonly RegisteredTool[];
  readonly hidden: readonly HiddenTool[];
  /**
   * Tools that servers which are not up offered last time, by the names they would have. Only their names and limits
   * are known. They cannot be called, but say which server a name is waiting for.
   */
  readonly expected: ReadonlyMap<string, RegisteredTool>;
  readonly conflicts: readonly NameConflict[];
}

const NO_TOOLS: ReadonlyMap<string, RegisteredTool> = new Map();
const NO_NAMES: ReadonlySet<string> = new Set();

/** Indexes the tools, so that a lookup takes the same time among ten thousand as among ten. */
export function createToolbox(
  tools: ReadonlyMap<string, RegisteredTool>,
  hidden: readonly HiddenTool[],
  {
    nameless = [],
    conflicts = [],
    expected = NO_TOOLS,
    serverNames = NO_NAMES,
  }: Partial<Pick<Toolbox, "nameless" | "conflicts" | "expected" | "serverNames">> = {},
): Toolbox {
  const servers = new Map<string, Map<string, RegisteredTool>>();
  for (const tool of [...tools.values(), ...nameless]) {
    const { server, name } = tool.ref;
    const own = servers.get(server) ?? new Map<string, RegisteredTool>();
    servers.set(server, own);
    if (!own.has(name)) own.set(name, tool);
  }
  return { tools, servers, serverNames, nameless, hidden, expected, conflicts };
}

export const EMPTY_TOOLBOX: Toolbox = createToolbox(new Map(), []);

/** The names of the tools that Tacklebox itself offers a model. No server's tool is shown by one of them. */
export const BUILT_IN_NAMES = { search: "search_tools", call: "call_tool", read: "read_result" } as const;

/** The way people write a tool together with its server, in GPTs and for sessions. */
export function toToolKey({ server, name }: ToolRef): string {
  return `${server}:${name}`;
}

export function sameRef(a: ToolRef, b: ToolRef): boolean {
  return a.scope === b.scope && a.server === b.server && a.name === b.name;
}

/** Finds the tool a reference identifies, if it may still be called. */
export function toolIn({ servers }: Toolbox, ref: ToolRef): RegisteredTool | undefined {
  const found = servers.get(ref.server)?.get(ref.name);
  return found !== undefined && sameRef(found.ref, ref) ? found : undefined;
}
