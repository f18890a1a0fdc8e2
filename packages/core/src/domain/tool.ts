import type { JsonObject, JsonSchema } from "../json/json.ts";
import type { IncludeMode, ToolApproval } from "./approval.ts";
import type { ToolLimits } from "./limits.ts";
import type { SearchSettings } from "./search-settings.ts";
import type { Mode, Scope } from "./server.ts";

/** What identifies a tool, whatever it is called in front of a model (D.2). */
export interface ToolRef {
  readonly scope: Scope;
  readonly server: string;
  readonly name: string;
}

/** A tool as its server listed it. `raw` is the untouched object, for re-exposing and fingerprints. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: JsonObject;
  readonly raw: JsonObject;
}

/** One entry of a server's list that could not be used, and why. The rest of the list is not affected (D.14). */
export interface QuarantinedTool {
  readonly name: string;
  readonly reason: string;
}

export interface ToolListing {
  readonly tools: readonly Tool[];
  readonly quarantined: readonly QuarantinedTool[];
}

/** A tool that is a function of this process. */
export interface LocalTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly run: (args: JsonObject, now: Date) => string;
}

/** What `toolbox.tools` says about one tool. Absent fields were not written. */
export interface ToolEntry {
  readonly name: string;
  /** Binds the entry to one server; without it the entry applies to every tool of that name. */
  readonly server?: string;
  readonly maxInstances?: number;
  readonly timeoutMs?: number;
  readonly approval?: ToolApproval;
  readonly include?: IncludeMode;
  /** Overrides the server's mode for this one tool's limits. */
  readonly mode?: Mode;
}

export interface ToolboxSettings {
  readonly maxConcurrent: number;
  /** How long a call may wait for a slot. */
  readonly maxWaitMs: number;
  readonly local: readonly string[];
  readonly tools: readonly ToolEntry[];
  readonly collisions: "hide" | "qualify";
  readonly localCollision: "local_wins" | "last_wins";
  readonly search: SearchSettings;
}

/** A tool one may call, with everything that governs it already decided. */
export interface RegisteredTool {
  readonly ref: ToolRef;
  readonly shownName: string;
  readonly tool: Tool;
  readonly limits: ToolLimits;
  readonly configuredBy: "explicit" | "merged" | "default";
  readonly approval?: ToolApproval;
  readonly include: IncludeMode;
  /** Set where something said so about this very tool, and not about its server. */
  readonly includeBy?: "tool";
}

export type HiddenReason =
  | { readonly kind: "quarantined"; readonly detail: string }
  | { readonly kind: "not-allowed"; readonly detail: string }
  | { readonly kind: "unconfigured"; readonly detail: string }
  | { readonly kind: "collision"; readonly detail: string; readonly winner: ToolRef }
  /** Its whole server gave way to a session's server of the same name (S3.18). */
  | { readonly kind: "replaced"; readonly detail: string };

/** A tool that exists and may not be called, so that `why` can tell. */
export interface HiddenTool {
  readonly ref: ToolRef;
  readonly reason: HiddenReason;
}

export interface Toolbox {
  /** By shown name. */
  readonly tools: ReadonlyMap<string, RegisteredTool>;
  /** By server, then by the name the server gives it. */
  readonly servers: ReadonlyMap<string, ReadonlyMap<string, RegisteredTool>>;
  readonly hidden: readonly HiddenTool[];
}

/** Indexes the tools, so that finding one takes the same time among ten thousand as among ten. */
export function createToolbox(tools: ReadonlyMap<string, RegisteredTool>, hidden: readonly HiddenTool[]): Toolbox {
  const servers = new Map<string, Map<string, RegisteredTool>>();
  for (const tool of tools.values()) {
    const { server, name } = tool.ref;
    const own = servers.get(server) ?? new Map<string, RegisteredTool>();
    servers.set(server, own);
    if (!own.has(name)) own.set(name, tool);
  }
  return { tools, servers, hidden };
}

export const EMPTY_TOOLBOX: Toolbox = createToolbox(new Map(), []);

/** How people write a tool together with its server, in GPTs and for sessions. */
export function toToolKey({ server, name }: ToolRef): string {
  return `${server}:${name}`;
}

export function sameRef(a: ToolRef, b: ToolRef): boolean {
  return a.scope === b.scope && a.server === b.server && a.name === b.name;
}

/** The tool that a reference means, if it may still be called. */
export function toolIn({ servers }: Toolbox, ref: ToolRef): RegisteredTool | undefined {
  const found = servers.get(ref.server)?.get(ref.name);
  return found !== undefined && sameRef(found.ref, ref) ? found : undefined;
}
