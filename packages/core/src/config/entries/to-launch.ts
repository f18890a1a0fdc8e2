import type { Authentication, Launch, RemoteLaunch } from "../../domain/server.ts";
import { carriesCredentials } from "../../secrets/redact.ts";
import { secretNamesIn } from "../../secrets/secret-reference.ts";
import { type Path, shown } from "../document/path.ts";
import type { Report } from "../document/report.ts";
import { isUsableAddress } from "./check-address.ts";

/** How to reach a server, as every dialect and record spells it. */
export interface LaunchFields {
  readonly transport?: string | null | undefined;
  readonly command?: string | null | undefined;
  readonly args?: readonly string[] | null | undefined;
  readonly env?: Readonly<Record<string, string>> | null | undefined;
  readonly cwd?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | null | undefined;
  readonly authentication?: Authentication | null | undefined;
  readonly allow_insecure_http?: boolean | null | undefined;
}

type Kind = Exclude<Launch["transport"], "local" | "custom">;

export interface LaunchRules {
  /** Accepted spellings. */
  readonly transports: ReadonlyMap<string, Kind>;
  /** Put behind `Unknown transport: <x>`; empty where the text stands alone. */
  readonly advice: string;
  /** What no `transport` means: found out from the other fields, one kind, or a mistake. */
  readonly absent: "infer" | "required" | Kind;
  /** What becomes of fields of another transport. */
  readonly misplaced: "refuse" | "ignore";
  /** What becomes of plain http to another host when it carries no credentials (D.15). */
  readonly plainHttp: "warn" | "refuse";
}

/** D.3: `http` tries Streamable HTTP first; the other names are exact. */
const STREAMABLE = ["streamable-http", "streamable_http", "streamableHttp"] as const;
export const ALL_TRANSPORTS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["stdio", "stdio"],
  ["http", "http"],
  ["sse", "sse"],
  ...STREAMABLE.map((name) => [name, "streamable-http"] as const),
]);

const LOCAL_FIELDS = ["command", "args", "env", "cwd"] as const;
const REMOTE_FIELDS = ["url", "headers", "authentication"] as const;

/** The launch, or nothing when something about it was reported, now or by an earlier step. */
export function toLaunch(
  server: string,
  fields: LaunchFields,
  rules: LaunchRules,
  path: Path,
  report: Report,
): Launch | undefined {
  if (report.isBroken([...path, "transport"])) return undefined;
  const kind = chooseTransport(server, fields, rules, path, report);
  if (kind === undefined) return undefined;
  const foreign = kind === "stdio" ? REMOTE_FIELDS : LOCAL_FIELDS;
  for (const field of foreign) checkMisplaced(server, kind, field, fields, rules, path, report);
  if (kind !== "stdio") return toRemoteLaunch(server, kind, fields, rules, path, report);
  if (isEmpty(fields.command)) return missing(server, kind, "command", path, report);
  return {
    transport: "stdio",
    command: fields.command,
    args: fields.args ?? [],
    env: fields.env ?? {},
    ...(isEmpty(fields.cwd) ? {} : { cwd: fields.cwd }),
  };
}

function chooseTransport(
  server: string,
  fields: LaunchFields,
  rules: LaunchRules,
  path: Path,
  report: Report,
): Kind | undefined {
  if (!isEmpty(fields.transport)) {
    const kind = rules.transports.get(fields.transport);
    if (kind === undefined) {
      report.problem([...path, "transport"], `Unknown transport: ${shown(fields.transport)}${rules.advice}`);
    }
    return kind;
  }
  if (rules.absent === "required") {
    report.problem([...path, "transport"], `MCP server '${shown(server)}' is missing required field 'transport'`);
    return undefined;
  }
  if (rules.absent !== "infer") return rules.absent;
  if (report.isBroken([...path, "command"]) || report.isBroken([...path, "url"])) return undefined;
  const hasCommand = !isEmpty(fields.command);
  if (hasCommand !== !isEmpty(fields.url)) return hasCommand ? "stdio" : "http";
  report.problem(
    path,
    hasCommand
      ? `MCP server '${shown(server)}' has both 'command' and 'url'; keep the one it is reached by`
      : `MCP server '${shown(server)}' needs 'command' (a program to start) or 'url' (a server to call)`,
  );
  return undefined;
}

function toRemoteLaunch(
  server: string,
  kind: RemoteLaunch["transport"],
  fields: LaunchFields,
  rules: LaunchRules,
  path: Path,
  report: Report,
): RemoteLaunch | undefined {
  if (isEmpty(fields.url)) return missing(server, kind, "url", path, report);
  const launch: RemoteLaunch = {
    transport: kind,
    url: fields.url,
    headers: fields.headers ?? {},
    authentication: fields.authentication ?? { type: "none" },
  };
  const address = {
    url: launch.url,
    owner: `MCP server '${shown(server)}'`,
    example: "https://example.com/mcp",
    credentialFields: "'authentication' or 'headers'",
    carriesCredentials: carriesCredentials(launch) || secretNamesIn(launch).length > 0,
    plainHttp: fields.allow_insecure_http === true ? "allow" : rules.plainHttp,
  } as const;
  return isUsableAddress(address, [...path, "url"], report) ? launch : undefined;
}

function checkMisplaced(
  server: string,
  kind: Kind,
  field: keyof LaunchFields,
  fields: LaunchFields,
  rules: LaunchRules,
  path: Path,
  report: Report,
): void {
  if (isUnset(fields[field])) return;
  const text = `MCP server '${shown(server)}' uses transport '${kind}', which has no '${field}'`;
  if (rules.misplaced === "ignore") report.warn([...path, field], `${text}; it is ignored`);
  else report.problem([...path, field], `${text}; remove it, or change the transport`, "key");
}

function missing(server: string, kind: Kind, field: "command" | "url", path: Path, report: Report): undefined {
  if (report.isBroken([...path, field])) return;
  report.problem(
    [...path, field],
    `MCP server '${shown(server)}' uses transport '${kind}' but is missing required field '${field}'`,
  );
}

function isEmpty(text: string | null | undefined): text is "" | null | undefined {
  return text === undefined || text === null || text.trim() === "";
}

function isUnset(value: LaunchFields[keyof LaunchFields]): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (typeof value !== "object") return false;
  if ("type" in value && value.type === "none") return true;
  return Object.keys(value).length === 0;
}
