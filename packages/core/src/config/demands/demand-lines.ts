import { isMap } from "../document/check-shape.ts";
import { moveSecretsOut } from "../import/move-secrets-out.ts";
import type { DemandLabel, DemandLine } from "./demand.ts";
import { findReferences, type References } from "./find-references.ts";
import { VEIL, veilHeader, veilVariable, withoutUrlPasswords, withoutWritten } from "./veil-values.ts";

type Entry = Readonly<Record<string, unknown>>;
type Line = readonly [label: DemandLabel, text: string];

/** The lines of a server, a model or a custom tool, in the keys of our own files. */
export function linesOfEntry(name: string, entry: Entry): readonly DemandLine[] {
  const { url, endpoint, base_url, ...rest } = entry;
  const address = url ?? endpoint ?? base_url;
  const references = findReferences(entry, Number.POSITIVE_INFINITY) ?? { variables: [], secrets: [] };
  const uniform = {
    ...rest,
    args: Array.isArray(rest.args) ? rest.args.filter(isGiven).map(asText) : rest.args,
    env: membersOf(rest.env, (key, value) => `${key}=${veilVariable(key, value)}`),
    headers: membersOf(rest.headers, (key, value) => `${key}: ${veilHeader(key, value)}`),
    ...(address !== undefined && { url: address }),
  };
  const moved = moveSecretsOut(name, uniform);
  const placeholders = moved.secrets.map((secret) => `\${secret:${secret.name}}`);
  // Moving secrets out changes texts but neither their number nor their order, so the lines match.
  const storable = toLines(moved.entry, references);
  return toLines(uniform, references).map(([label, text], index) => ({
    label,
    text,
    storable: withoutCredentials(storable[index]?.[1] ?? "", placeholders),
  }));
}

/** How calls are approved, where that is written. */
export function linesOfApproval(entry: unknown): readonly DemandLine[] {
  return isMap(entry) ? approvalOf(entry).map(toDemandLine) : [];
}

/** What a model is told, line by line, and how calls are approved. */
export function linesOfGpt(entry: unknown): readonly DemandLine[] {
  const { instructions } = isMap(entry) ? entry : {};
  const told = typeof instructions === "string" && instructions !== "" ? instructions.split(/\r\n|\n/) : [];
  const lines = told.map((text): DemandLine => ({ label: "instructs", text, storable: withoutWritten(text) }));
  return [...lines, ...linesOfApproval(entry)];
}

/** How long calls are kept: a file that says so removes older ones. */
export function linesOfCallLog(calls: unknown): readonly DemandLine[] {
  const written = isMap(calls) ? Object.entries(calls) : [];
  return written.map(([key, value]) => toDemandLine(["keeps", `${key}: ${asText(value)}`]));
}

function toDemandLine([label, text]: Line): DemandLine {
  return { label, text, storable: text };
}

function toLines(entry: Entry, { variables, secrets }: References): readonly Line[] {
  const { command, args, url, cwd, env, headers, authentication, vendor } = entry;
  return [
    ...textsOf("command", isGiven(command) ? [command, ...(Array.isArray(args) ? args : [args])] : []),
    ...textsOf("url", isGiven(url) ? [url] : isGiven(vendor) ? [`the address of ${asText(vendor)}`] : []),
    ...textsOf("folder", [cwd]),
    ...textsOf("env", Array.isArray(env) ? env : [env]),
    ...textsOf("headers", Array.isArray(headers) ? headers : [headers]),
    ...textsOf("sign-in", isMap(authentication) ? [authentication.type] : [authentication]),
    ...textsOf("reads", variables),
    ...textsOf("secret", secrets),
    ...approvalOf(entry),
    ...(entry.enabled === false ? [["state", "switched off"] as const] : []),
  ];
}

/** The members of a map as texts of their own. What is no map is a mistake that is shown as it is. */
function membersOf(map: unknown, show: (key: string, value: string) => string): unknown {
  if (!isMap(map)) return map;
  return Object.entries(map).map(([key, value]) => (isGiven(value) ? show(key, asText(value)) : key));
}

function approvalOf({ approval, trusted_tools }: Entry): readonly Line[] {
  const trusted = Array.isArray(trusted_tools) ? trusted_tools : [trusted_tools];
  return [...textsOf("approval", [approval]), ...textsOf("approval", trusted)];
}

function textsOf(label: DemandLabel, values: readonly unknown[]): readonly Line[] {
  return values.filter(isGiven).map((value) => [label, asText(value)] as const);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Blanks the places that credentials were moved out of, and the password of any URL in the text. */
function withoutCredentials(text: string, placeholders: readonly string[]): string {
  return withoutUrlPasswords(placeholders.reduce((rest, placeholder) => rest.replaceAll(placeholder, VEIL), text));
}
