import type { JsonSchema } from "../json/json.ts";
import type { IncludeMode, ToolApproval } from "./approval.ts";
import { DEFAULT_SERVER_TIMEOUT_MS, type RateLimit, type ToolLimits } from "./limits.ts";
import type { ToolEntry } from "./tool.ts";

/** Where a server came from. `local` is the built-in server whose tools are functions of this process. */
export type Scope = "local" | "agent" | "app" | "session";

/** `http` tries Streamable HTTP and falls back to SSE (D.3); the other two remote kinds are exact. */
export type Transport = "stdio" | "http" | "streamable-http" | "sse" | "local" | "custom";

export type Authentication =
  | { readonly type: "none" }
  | { readonly type: "bearer"; readonly token: string }
  | { readonly type: "api-key"; readonly key: string; readonly header: string }
  | { readonly type: "basic"; readonly username: string; readonly password: string };

export interface StdioLaunch {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Where HTTP requests go and what they carry. */
export interface HttpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly authentication: Authentication;
}

export interface RemoteLaunch extends HttpTarget {
  readonly transport: "http" | "streamable-http" | "sse";
}

export interface LocalLaunch {
  readonly transport: "local";
}

/** A tool that is one HTTP endpoint, with no MCP server behind it (F-304). */
export interface CustomTool extends HttpTarget {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** The virtual server that all custom tools belong to (D.24). Opening it sends nothing. */
export interface CustomLaunch {
  readonly transport: "custom";
  readonly tools: readonly CustomTool[];
}

/** What the server of custom tools is called. */
export const CUSTOM_SERVER = "custom";

/** How to reach a server: everything a connector needs, and nothing about governing it. */
export type Launch = StdioLaunch | RemoteLaunch | LocalLaunch | CustomLaunch;

/** strict: every tool must be configured. dynamic: unconfigured tools take the server's defaults (S4.1). */
export type Mode = "strict" | "dynamic";

/** Which revision family to speak. `auto` asks the server once and remembers (D.5). */
export type ProtocolChoice = "auto" | "legacy" | "modern";
export type Era = "legacy" | "modern";

/** A server as saved: how to reach it and how to govern it. All four input dialects end here. */
export interface ServerDefinition {
  readonly scope: Scope;
  /** Unique in its scope. For servers from files it is the name people wrote. */
  readonly key: string;
  readonly name: string;
  readonly description?: string;
  readonly launch: Launch;
  readonly protocol: ProtocolChoice;
  readonly mode: Mode;
  /** The limits that were written for this server's tools; fields nobody wrote are absent, so that a merge can tell (T4.3). */
  readonly defaultToolConfig: Partial<ToolLimits>;
  /** Settings that were written together with this server's tools, where `toolbox.tools` says nothing of its own. */
  readonly tools?: readonly ToolEntry[];
  readonly required: boolean;
  readonly enabled: boolean;
  readonly retryAttempts: number;
  readonly timeoutMs: number;
  /** Whether a dropped connection is opened again by itself. */
  readonly reconnect: "auto" | "never";
  readonly maxConcurrent?: number;
  readonly rate?: RateLimit;
  readonly include: IncludeMode;
  readonly approval?: ToolApproval;
  /** What happens to a tool whose definition changed since it was first seen: run with a warning, or refuse. */
  readonly pin: "warn" | "block";
  /** Raw tool names, `*` matches any run of characters. An empty allow list allows all; deny wins. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly prompts: readonly string[];
}

/** Governance of a server about which only its address is known. */
export const UNGOVERNED = {
  protocol: "auto",
  mode: "dynamic",
  defaultToolConfig: {},
  required: false,
  enabled: true,
  retryAttempts: 0,
  timeoutMs: DEFAULT_SERVER_TIMEOUT_MS,
  reconnect: "auto",
  include: "always",
  pin: "warn",
  allow: [],
  deny: [],
  prompts: [],
} as const satisfies Partial<ServerDefinition>;

/** Names a server among all that are connected: two sessions may each have one of the same name, and share nothing. */
export function serverKey(
  { scope, server }: { readonly scope: Scope; readonly server: string },
  sessionId: string | undefined,
): string {
  return scope === "session" ? `session ${sessionId}/${server}` : `${scope}/${server}`;
}

/** What to call a server's address in messages: never with its query or a password, which may be secrets (D.4). */
export function serverAddress(definition: ServerDefinition): string {
  const { launch } = definition;
  if (launch.transport === "local") return "this process";
  if (launch.transport === "stdio") return launch.command;
  if (launch.transport === "custom") return "the endpoints in custom_tools";
  const end = launch.url.search(/[?#]/);
  const place = end === -1 ? launch.url : launch.url.slice(0, end);
  return place.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, "$1");
}
