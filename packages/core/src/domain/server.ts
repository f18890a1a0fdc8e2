import * as z from "zod/mini";
import { boolean, list, number, object, optional, string } from "../json/schema.ts";
import { IncludeMode, ToolApproval } from "./approval.ts";
import { factsOf, Launch } from "./launch.ts";
import { DEFAULT_SERVER_TIMEOUT_MS, RateLimit, ToolLimits } from "./limits.ts";
import { Mode, ToolEntry } from "./tool-entry.ts";

/** Where a server came from. `local` is the built-in server whose tools are functions of this process. */
export const Scope = z.enum(["local", "agent", "app", "session"]);
export type Scope = z.infer<typeof Scope>;

/** The name of the server that custom tools belong to. */
export const CUSTOM_SERVER = "custom";

/** Which generation of MCP to speak. `auto` asks the server once and remembers. */
export const ProtocolChoice = z.enum(["auto", "legacy", "modern"]);
export type ProtocolChoice = z.infer<typeof ProtocolChoice>;
export const Era = z.enum(["legacy", "modern"]);
export type Era = z.infer<typeof Era>;

/** A server as saved: how to reach it and how to govern it. All config dialects are converted to this. */
export const ServerDefinition = object({
  scope: Scope,
  /** Unique in its scope. For servers from files it is the name in the file. */
  key: string,
  name: string,
  description: optional(string),
  launch: Launch,
  protocol: ProtocolChoice,
  mode: Mode,
  /**
   * The limits configured for this server's tools; fields that were not written are absent, so that merging can tell.
   */
  defaultToolConfig: object({
    maxInstances: optional(ToolLimits.shape.maxInstances),
    timeoutMs: optional(ToolLimits.shape.timeoutMs),
  }),
  /** Settings of single tools from the server's entry, used where `toolbox.tools` has none. */
  tools: optional(list(ToolEntry)),
  required: boolean,
  enabled: boolean,
  retryAttempts: number,
  timeoutMs: number,
  /** Whether a dropped connection is reopened automatically. */
  reconnect: z.enum(["auto", "never"]),
  maxConcurrent: optional(number),
  rate: optional(RateLimit),
  include: IncludeMode,
  approval: optional(ToolApproval),
  /**
   * What happens to calls of a tool whose definition changed since it was first seen: run with a warning, or refuse.
   */
  pin: z.enum(["warn", "block"]),
  /** Raw tool names; `*` matches any run of characters. An empty allow list allows all; deny takes precedence. */
  allow: list(string),
  deny: list(string),
  prompts: list(string),
});
export type ServerDefinition = z.infer<typeof ServerDefinition>;

/** Default governance, for a server of which only the address is known. */
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

/** Identifies a server among all connected ones: two sessions may each have a server of the same name. */
export function serverKey(
  { scope, server }: { readonly scope: Scope; readonly server: string },
  sessionId: string | undefined,
): string {
  const owner = scope === "session" ? `session ${toKeyPart(sessionId ?? "")}` : scope;
  return `${owner}/${toKeyPart(server)}`;
}

/**
 * A name as one part of a key whose parts are joined with slashes. Slashes in the name are escaped: otherwise a server
 * could choose a name that gives it the key, and with it the limits, of another.
 */
export function toKeyPart(name: string): string {
  return name.includes("/") || name.includes("%") ? name.replaceAll("%", "%25").replaceAll("/", "%2F") : name;
}

/** A server's address for messages: never with its query or a password, which may be secrets. */
export function serverAddress({ launch }: ServerDefinition): string {
  return factsOf(launch).address(launch);
}
