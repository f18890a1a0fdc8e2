import type { ServerDefinition } from "../domain/server.ts";
import type { HiddenReason, RegisteredTool, ToolboxSettings, ToolRef } from "../domain/tool.ts";
import type { Advice } from "../ports/advice.ts";
import type { PlaceOf, Setting } from "../ports/setting-place.ts";
import { matchesAny } from "../text/name-pattern.ts";
import type { KnownServer } from "./known-servers.ts";
import { findEntry } from "./register-tools.ts";

/** Why a tool cannot be called although somebody has it, or may have it. */
export interface Obstacle {
  readonly kind: "coming" | "down" | "sign-in-needed" | "disabled" | "quarantined" | "kept-out";
  readonly ref: ToolRef;
  /** What keeps it from being called, without a full stop. */
  readonly text: string;
  /** What a person can do about it: a sentence without its full stop. */
  readonly next: string | undefined;
}

export type ObstacleAdvice = Pick<Advice, "enable" | "showServers" | "storeSecret">;

export interface ObstacleDeps {
  readonly settings: ToolboxSettings;
  readonly placeOf?: PlaceOf | undefined;
  readonly advice?: ObstacleAdvice | undefined;
}

/** A server that is disabled, down or not up yet; undefined if it is connected. */
export function serverObstacle(server: KnownServer, name: string, { advice }: ObstacleDeps): Obstacle | undefined {
  const { definition, state, isComing } = server;
  const ref = { scope: definition.scope, server: definition.key, name };
  if (state === undefined)
    return {
      kind: "disabled",
      ref,
      text: `server '${definition.name}' is disabled`,
      next: advice && `To enable it, run: ${advice.enable(definition.key)}`,
    };
  if (state.status === "connected") return undefined;
  if (isComing)
    return { kind: "coming", ref, text: `server '${definition.name}' is still connecting`, next: undefined };
  const cause = state.failure?.message ?? NO_CAUSE[state.status];
  if (state.failure?.code === "sign-in-needed")
    return { kind: "sign-in-needed", ref, text: signInText(definition.name, cause), next: signInAdvice(cause, advice) };
  return { kind: "down", ref, text: downText(definition.name, cause), next: downAdvice(cause, advice) };
}

const NO_CAUSE = { connecting: "it is still connecting", disconnected: "it is not connected", error: "it failed" };

export function downText(server: string, cause: string): string {
  return `server '${server}' is down: ${cause}`;
}

export function downAdvice(cause: string, advice: ObstacleAdvice | undefined): string | undefined {
  return advice === undefined || saysMore(cause) ? undefined : `For its status, run: ${advice.showServers}`;
}

export function signInText(server: string, cause: string): string {
  return `server '${server}' requires you to sign in: ${cause}`;
}

export function signInAdvice(cause: string, advice: ObstacleAdvice | undefined): string | undefined {
  if (saysMore(cause)) return undefined;
  const stored = advice === undefined ? "" : `, and store the token with: ${advice.storeSecret("NAME")}`;
  return `Add a token to its headers, such as Authorization: "Bearer \${secret:NAME}"${stored}`;
}

/** Whether the error of a connection says by itself, below its first line, what it means and what to do. */
function saysMore(cause: string): boolean {
  return cause.includes("\n");
}

/** A tool that its server lists, and that is set aside or kept out by the configuration. */
export function toolObstacle(
  { ref, reason }: { readonly ref: ToolRef; readonly reason: HiddenReason },
  server: KnownServer | undefined,
  deps: ObstacleDeps,
): Obstacle | undefined {
  const { settings } = deps;
  const name = server?.definition.name ?? ref.server;
  if (reason.kind === "quarantined") {
    const text = `tool '${ref.name}' of server '${name}' is set aside: ${reason.detail}`;
    return { kind: "quarantined", ref, text, next: "Only its server can correct that; other tools are not affected" };
  }
  if (reason.kind === "not-allowed")
    return keptOut(ref, reason.detail, listSetting(ref, reason.by, server), NEXT[reason.by], deps);
  if (reason.kind !== "unconfigured") return undefined;
  const list = `${settings.writtenAs}.tools`;
  if (ref.scope === "local")
    return keptOut(ref, reason.detail, { of: "toolbox", key: "tools" }, `Add it to ${list}`, deps);
  const next = `Add it to ${list}, or set mode: dynamic for the server`;
  return keptOut(ref, reason.detail, { of: "server", server: ref.server, key: "mode" }, next, deps);
}

const NEXT = {
  deny: "To allow it, remove it from that list",
  allow: "To allow it, add it to that list",
  local: "To allow it, add it to that list",
} as const;

function listSetting({ name, server }: ToolRef, by: keyof typeof NEXT, known: KnownServer | undefined): Setting {
  if (by === "local") return { of: "toolbox", key: "local" };
  if (by === "allow") return { of: "server", server, key: "allow" };
  const index = known?.definition.deny.findIndex((pattern) => matchesAny([pattern], name)) ?? -1;
  return { of: "server", server, key: "deny", ...(index >= 0 && { index }) };
}

function keptOut(ref: ToolRef, detail: string, setting: Setting, next: string, { placeOf }: ObstacleDeps): Obstacle {
  return { kind: "kept-out", ref, text: `${detail}${atPlace(ref, setting, placeOf)}`, next };
}

/** Where the approval setting of a tool is written, to follow what it does. */
export function placeOfApproval(
  { ref }: Pick<RegisteredTool, "ref">,
  definition: ServerDefinition,
  { settings, placeOf }: ObstacleDeps,
): string {
  const entry = findEntry(settings, definition, ref.name);
  if (entry?.approval === undefined)
    return atPlace(ref, { of: "server", server: ref.server, key: "approval" }, placeOf);
  const index = settings.tools.indexOf(entry);
  return index < 0 ? "" : atPlace(ref, { of: "toolbox", key: "tools", index, field: "approval" }, placeOf);
}

/** Where a setting is written, to follow what it does. Servers of a session are not from the config file. */
export function atPlace({ scope }: Pick<ToolRef, "scope">, setting: Setting, placeOf: PlaceOf | undefined): string {
  const place = scope === "agent" || scope === "local" ? placeOf?.(setting) : undefined;
  return place === undefined ? "" : ` (${place})`;
}

/** A sentence of its own; `text` begins with a lower-case letter. */
export function toSentence(text: string, next: string | undefined): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return withNext(first, next);
}

export function withNext(text: string, next: string | undefined): string {
  if (next === undefined) return text;
  return `${text}${/[.!?]$/.test(text) ? "" : "."} ${next}`;
}
