import { credentialPlaces, type Launch } from "../../domain/launch.ts";
import { carriesCredentials } from "../../secrets/find-secrets.ts";
import { secretNamesIn } from "../../secrets/secret-reference.ts";
import { type Path, printable } from "../document/path.ts";
import type { Report } from "../document/report.ts";
import { isUsableAddress } from "./check-address.ts";
import {
  IMPLIED_TRANSPORT,
  isEmpty,
  isFieldOf,
  type LaunchFields,
  type Notation,
  notationOf,
  spellings,
  transportNames,
  type WritableTransport,
} from "./written-transports.ts";

export interface LaunchRules {
  readonly notation: Notation;
  /** What the message about an unknown transport suggests. */
  readonly advice: "names to write" | "none";
  /** What a missing `transport` means: inferred from the other fields, a fixed transport, or a mistake. */
  readonly absent: "infer" | "required" | WritableTransport;
  /** How fields of another transport are treated. */
  readonly misplaced: "refuse" | "ignore";
  /** How plain http to another host is treated if it carries no credentials. */
  readonly plainHttp: "warn" | "refuse";
}

/** The fields that say how to reach a server, in the usual order. */
export const LAUNCH_FIELDS = ["command", "args", "env", "cwd", "url", "headers", "authentication"] as const;

/** Returns the launch, or undefined if a problem with it was reported, now or by an earlier step. */
export function toLaunch(
  server: string,
  fields: LaunchFields,
  rules: LaunchRules,
  path: Path,
  report: Report,
): Launch | undefined {
  if (report.isBroken([...path, "transport"])) return undefined;
  const transport = chooseTransport(server, fields, rules, path, report);
  if (transport === undefined) return undefined;
  for (const field of LAUNCH_FIELDS)
    if (!isFieldOf(transport, field)) reportMisplaced(server, transport, field, fields, rules, path, report);
  const writing = notationOf(transport);
  const { required } = writing;
  const written = fields[required];
  if (isEmpty(written)) return missing(server, transport, required, path, report);
  const launch = writing.toLaunch(written, fields);
  return isReachable(server, launch, fields, rules, path, report) ? launch : undefined;
}

function chooseTransport(
  server: string,
  fields: LaunchFields,
  rules: LaunchRules,
  path: Path,
  report: Report,
): WritableTransport | undefined {
  if (!isEmpty(fields.transport)) {
    const transport = spellings(rules.notation).get(fields.transport);
    if (transport === undefined) {
      const advice = rules.advice === "none" ? "" : `. Use one of: ${transportNames(rules.notation).join(", ")}`;
      report.problem([...path, "transport"], `Unknown transport: ${printable(fields.transport)}${advice}`);
    }
    return transport;
  }
  if (rules.absent === "required") {
    report.problem([...path, "transport"], `MCP server '${printable(server)}' is missing required field 'transport'`);
    return undefined;
  }
  if (rules.absent !== "infer") return rules.absent;
  if (report.isBroken([...path, "command"]) || report.isBroken([...path, "url"])) return undefined;
  const hasCommand = !isEmpty(fields.command);
  if (hasCommand !== !isEmpty(fields.url)) return IMPLIED_TRANSPORT[hasCommand ? "command" : "url"];
  report.problem(
    path,
    hasCommand
      ? `MCP server '${printable(server)}' has both 'command' and 'url'; keep the one it is reached by`
      : `MCP server '${printable(server)}' needs 'command' (a program to start) or 'url' (a server to call)`,
  );
  return undefined;
}

function isReachable(
  server: string,
  launch: Launch,
  fields: LaunchFields,
  rules: LaunchRules,
  path: Path,
  report: Report,
): boolean {
  return credentialPlaces(launch).targets.every((target) => {
    const address = {
      url: target.url,
      owner: `MCP server '${printable(server)}'`,
      example: "https://example.com/mcp",
      credentialFields: "'authentication' or 'headers'",
      carriesCredentials: carriesCredentials(target) || secretNamesIn(launch).length > 0,
      plainHttp: fields.allow_insecure_http === true ? "allow" : rules.plainHttp,
    } as const;
    return isUsableAddress(address, [...path, "url"], report);
  });
}

function reportMisplaced(
  server: string,
  transport: WritableTransport,
  field: keyof LaunchFields,
  fields: LaunchFields,
  rules: LaunchRules,
  path: Path,
  report: Report,
): void {
  if (isUnset(fields[field])) return;
  const text = `MCP server '${printable(server)}' uses transport '${transport}', which has no '${field}'`;
  if (rules.misplaced === "ignore") report.warn([...path, field], `${text}; it is ignored`);
  else report.problem([...path, field], `${text}; remove it, or change the transport`, "key");
}

function missing(
  server: string,
  transport: WritableTransport,
  field: keyof LaunchFields,
  path: Path,
  report: Report,
): undefined {
  if (report.isBroken([...path, field])) return;
  report.problem(
    [...path, field],
    `MCP server '${printable(server)}' uses transport '${transport}' but is missing required field '${field}'`,
  );
}

function isUnset(value: LaunchFields[keyof LaunchFields]): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (typeof value !== "object") return false;
  if ("type" in value && value.type === "none") return true;
  return Object.keys(value).length === 0;
}
