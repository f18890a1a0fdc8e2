import type { ToolLimits } from "../../domain/limits.ts";
import { type ProtocolChoice, type ServerDefinition, UNGOVERNED } from "../../domain/server.ts";
import type { Path } from "../document/path.ts";
import type { Report } from "../document/report.ts";
import type { WrittenEntry } from "./server-entry.ts";
import { type LaunchRules, toLaunch } from "./to-launch.ts";

/** The meaning of missing fields in a dialect. */
export interface DialectRules {
  readonly launch: LaunchRules;
  readonly required: boolean;
}

export function toDefinition(
  name: string,
  entry: WrittenEntry,
  rules: DialectRules,
  path: Path,
  report: Report,
): ServerDefinition | undefined {
  const launch = toLaunch(name, entry, rules.launch, path, report);
  if (launch === undefined) return undefined;
  const mode = entry.mode ?? UNGOVERNED.mode;
  return {
    scope: "agent",
    key: name,
    name,
    ...(entry.description ? { description: entry.description } : {}),
    launch,
    protocol: toProtocol(entry.protocol),
    mode,
    // In strict mode every tool has its own entry, so there is nothing for defaults to apply to (S4.3).
    defaultToolConfig: mode === "dynamic" ? toLimits(entry.default_tool_config) : {},
    required: entry.required ?? rules.required,
    enabled: entry.enabled ?? UNGOVERNED.enabled,
    retryAttempts: entry.retry_attempts ?? UNGOVERNED.retryAttempts,
    timeoutMs: entry.timeout ?? UNGOVERNED.timeoutMs,
    reconnect: entry.reconnect ?? UNGOVERNED.reconnect,
    ...(entry.max_concurrent ? { maxConcurrent: entry.max_concurrent } : {}),
    ...(entry.rate ? { rate: { perMinute: entry.rate.per_minute, burst: entry.rate.burst } } : {}),
    include: entry.include ?? UNGOVERNED.include,
    ...(entry.approval ? { approval: entry.approval } : {}),
    pin: entry.pin ?? UNGOVERNED.pin,
    allow: entry.allow ?? [],
    deny: entry.deny ?? [],
    prompts: entry.prompts ?? [],
  };
}

export function checkServerName(name: string, path: Path, report: Report): void {
  checkName("A server's name", name, path, report);
}

export function checkName(what: string, name: string, path: Path, report: Report): void {
  if (isServerName(name)) return;
  report.problem(path, `${what} must have 1 to 100 characters and no control characters`, "key");
}

export function isServerName(name: string): boolean {
  return name.trim() !== "" && name.length <= 100 && !/\p{Cc}/u.test(name);
}

export function toLimits(
  fields: { max_instances?: number | null | undefined; timeout?: number | null | undefined } | null | undefined,
): Partial<ToolLimits> {
  return {
    ...(fields?.max_instances ? { maxInstances: fields.max_instances } : {}),
    ...(fields?.timeout ? { timeoutMs: fields.timeout } : {}),
  };
}

function toProtocol(written: WrittenEntry["protocol"]): ProtocolChoice {
  if (written === "2026-07-28") return "modern";
  return written ?? UNGOVERNED.protocol;
}
