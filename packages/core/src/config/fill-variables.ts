import { SECRET_NAME } from "../ports/vault.ts";
import { isSecretVariableValue, whyNotRedactedVariable } from "../secrets/variable-secrets.ts";
import { isMap } from "./document/check-shape.ts";
import { type Path, pathText } from "./document/path.ts";
import type { Report } from "./document/report.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

interface FillContext {
  readonly env: Environment;
  /** What uses the variable, for messages: `server 'github'`. */
  readonly usedBy: string;
}

/**
 * Fills in `${VAR}`, `${VAR:-default}` and VS Code's `${env:VAR}`; `$${` stands for `${`.
 * Only for files that the operator wrote, as any other file could read the environment this way.
 */
export function fillVariables(value: unknown, path: Path, context: FillContext, report: Report): unknown {
  return fillValue(value, [], { ...context, path, places: NOWHERE, disabled: false }, report);
}

/**
 * Like fillVariables, for one server's entry in our own syntax: `${secret:NAME}` is kept where credentials are allowed.
 */
export function fillServerEntry(entry: unknown, path: Path, context: FillContext, report: Report): unknown {
  const disabled = isMap(entry) && entry.enabled === false;
  return fillValue(entry, [], { ...context, path, places: IN_SERVERS, disabled }, report);
}

/** Like fillServerEntry, for one entry of `models`. */
export function fillModelEntry(entry: unknown, path: Path, context: FillContext, report: Report): unknown {
  return fillValue(entry, [], { ...context, path, places: IN_MODELS, disabled: false }, report);
}

/** Like fillServerEntry, for one entry of `custom_tools`. Its JSON Schema is left as it is. */
export function fillCustomTool(entry: unknown, path: Path, context: FillContext, report: Report): unknown {
  const filling = { ...context, path, places: IN_CUSTOM_TOOLS, disabled: false };
  if (!isMap(entry) || !("parameters" in entry)) return fillValue(entry, [], filling, report);
  const { parameters, ...rest } = entry;
  return { ...fillMap(rest, [], filling, report), parameters };
}

interface Filling extends FillContext {
  /** The path of the whole value. */
  readonly path: Path;
  readonly places: SecretPlaces;
  /** True for a disabled server: a variable it lacks must not keep the others from starting. */
  readonly disabled: boolean;
}

function fillValue(value: unknown, at: Path, filling: Filling, report: Report): unknown {
  if (typeof value === "string") return fillText(value, at, filling, report);
  if (Array.isArray(value)) return value.map((item, index) => fillValue(item, [...at, index], filling, report));
  return isMap(value) ? fillMap(value, at, filling, report) : value;
}

function fillMap(map: Readonly<Record<string, unknown>>, at: Path, filling: Filling, report: Report) {
  return Object.fromEntries(
    Object.entries(map).map(([key, member]) => [key, fillValue(member, [...at, key], filling, report)]),
  );
}

function fillText(text: string, at: Path, filling: Filling, report: Report): string {
  const { env, usedBy, path, places, disabled } = filling;
  let kept = 0;
  const problem = (kind: keyof typeof PROBLEMS, name: string) =>
    report.problem([...path, ...at], PROBLEMS[kind](name, usedBy, pathText(at), places.description, report));
  const filled = text.replace(REFERENCE, (match, reference: string | undefined, offset: number) => {
    if (match === "$${") return "${";
    const found = lookUp(reference ?? "", env);
    if (found.kind === "ok") {
      if (found.variable !== undefined && mayHoldCredential(at, text, offset, places))
        keepSecret(found.variable, found.value, filling, at, report);
      return found.value;
    }
    if (found.kind === "secret") {
      kept += 1;
      return match;
    }
    if (disabled && found.kind === "missing") {
      report.warn([...path, ...at], PROBLEMS.missing(found.name, usedBy), "value");
      return UNSET;
    }
    problem(found.kind, found.name);
    return "";
  });
  const verdict = judgeSecrets(filled, at, kept, places);
  if (verdict === "fine") return filled;
  problem(verdict, "");
  return "";
}

/** Replaces the missing variable of a disabled server. A URL with it is still a URL. */
const UNSET = "unset";

type Found =
  /** `variable` is absent if the value is the default that stands in the file. */
  | { readonly kind: "ok"; readonly value: string; readonly variable?: string }
  | { readonly kind: "secret" }
  | { readonly kind: keyof typeof PROBLEMS; readonly name: string };

/** `$${`, a reference, or the beginning of one that does not end. */
const REFERENCE = /\$\$\{|\$\{([^}]*)\}|\$\{/g;
/** The name of an environment variable and its default. */
const VARIABLE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

export interface Reference {
  readonly kind: "variable" | "secret";
  readonly name: string;
}

/** The variables and secrets that a text would be filled with, in the order of the text. Nothing is looked up. */
export function referencesIn(text: string): readonly Reference[] {
  // Without what follows the last brace, every match ends at a brace: no text makes this slow.
  const closed = text.slice(0, text.lastIndexOf("}") + 1);
  return Array.from(closed.matchAll(REFERENCE), ([, reference = ""]) => reference).flatMap((reference): Reference[] => {
    const [, secret] = /^secret:([\s\S]*)$/.exec(reference) ?? [];
    if (secret !== undefined) return [{ kind: "secret", name: secret }];
    const variable = VARIABLE.exec(reference)?.[1];
    return variable === undefined ? [] : [{ kind: "variable", name: variable }];
  });
}

function lookUp(reference: string, env: Environment): Found {
  const [, scheme, stored = ""] = /^(input|secret):([\s\S]*)$/.exec(reference) ?? [];
  if (scheme === "input") return { kind: "input", name: stored };
  if (scheme === "secret") return SECRET_NAME.test(stored) ? { kind: "secret" } : { kind: "unnameable", name: stored };
  const match = VARIABLE.exec(reference);
  const name = match?.[1];
  if (name === undefined) return { kind: "malformed", name: reference };
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  const fallback = match?.[2];
  // As in a shell, a default also replaces an empty value.
  if (fallback !== undefined && (value === undefined || value === "")) return { kind: "ok", value: fallback };
  return value === undefined ? { kind: "missing", name } : { kind: "ok", value, variable: name };
}

/** What stands where credentials do may be one, under whatever name (F8). What a URL begins with is an address. */
function mayHoldCredential(at: Path, text: string, offset: number, { url, credentials }: SecretPlaces): boolean {
  const isUrl = url !== undefined && at.length === 1 && at[0] === url;
  return isUrl
    ? /^[^?#]*?:\/\/[^/?#]*[/?#@:]/.test(text.slice(0, offset))
    : credentials.some((field) => at.includes(field));
}

function keepSecret(variable: string, value: string, { path, usedBy }: Filling, at: Path, report: Report): void {
  if (isSecretVariableValue(variable, value)) report.fromEnvironment.add(value);
  const why = whyNotRedactedVariable(variable, value);
  if (why === undefined) return;
  const text = `The environment variable '${variable}', used by ${usedBy}, is ${why}`;
  report.warn([...path, ...at], text, "value");
}

type Verdict = "fine" | "misplaced" | "misplacedInUrl" | "unwritten";

/** A secret is allowed only where credentials are, and never decides which host it is sent to (T07). */
function judgeSecrets(filled: string, at: Path, kept: number, { url, credentials }: SecretPlaces): Verdict {
  const isUrl = url !== undefined && at.length === 1 && at[0] === url;
  if (!isUrl && !isCredential(at, credentials)) return kept === 0 ? "fine" : "misplaced";
  // References are resolved when a connection is opened, so the text must hold only those written in the file.
  const references = [...filled.matchAll(/\$\{secret:[^}]*\}/g)];
  if (references.length !== kept) return "unwritten";
  if (!isUrl) return "fine";
  const hostEnd = /^[^?#]*?:[\\/]*[^\\/?#]*/.exec(filled)?.[0].length ?? filled.length;
  const fragment = filled.indexOf("#");
  const isPlaced = ({ index }: { index: number }) => index >= hostEnd && (fragment === -1 || index < fragment);
  return references.every(isPlaced) ? "fine" : "misplacedInUrl";
}

/** The places in one kind of entry where a credential is allowed. */
interface SecretPlaces {
  /** The field with the address; a secret is allowed in its path and query. */
  readonly url?: string;
  /** Fields that are a credential, or whose members are. */
  readonly credentials: readonly string[];
  readonly description: string;
}

const IN_SERVERS: SecretPlaces = {
  url: "url",
  credentials: ["headers", "authentication", "env", "args"],
  description: "headers, authentication, env, args and the path or query of a server's url",
};
const IN_CUSTOM_TOOLS: SecretPlaces = {
  url: "endpoint",
  credentials: ["headers", "authentication"],
  description: "headers, authentication and the path or query of the endpoint",
};
const IN_MODELS: SecretPlaces = { credentials: ["api_key", "headers"], description: "api_key and headers" };
const NOWHERE: SecretPlaces = { credentials: [], description: IN_SERVERS.description };

const SINGLE: ReadonlySet<unknown> = new Set(["api_key"]);
const IN_AUTHENTICATION: ReadonlySet<unknown> = new Set(["token", "key", "username", "password"]);

function isCredential(at: Path, credentials: readonly string[]): boolean {
  const [field, member] = at;
  if (typeof field !== "string" || !credentials.includes(field)) return false;
  if (at.length !== (SINGLE.has(field) ? 1 : 2)) return false;
  return field !== "authentication" || IN_AUTHENTICATION.has(member);
}

const PROBLEMS = {
  missing: (name: string, usedBy: string) =>
    `The environment variable '${name}', used by ${usedBy}, is not set. Set it, or give a default: \${${name}:-default}`,
  input: (name: string, usedBy: string, _field: string, _places: string, { advice }: Report) => {
    const secret = SECRET_NAME.test(name) ? name : "NAME";
    const how = advice === undefined ? "as a secret" : `with: ${advice.storeSecret(secret)}`;
    return `Inputs (\${input:…}), used by ${usedBy}, are not asked for here. Store the value ${how} and write \${secret:${secret}}`;
  },
  unnameable: (_name: string, usedBy: string) =>
    `A \${secret:…} used by ${usedBy} does not name a secret. Names have letters, digits and _ - . : / and start with a letter or digit`,
  misplaced: (_name: string, usedBy: string, field: string, places: string) =>
    `A stored secret (\${secret:…}), used by ${usedBy}, may not stand in '${field}'. It may in ${places}`,
  misplacedInUrl: (_name: string, usedBy: string) =>
    `A stored secret (\${secret:…}), used by ${usedBy}, may stand only in the path or query of the url, not before them and not behind #`,
  unwritten: (_name: string, usedBy: string) =>
    `A stored secret (\${secret:…}), used by ${usedBy}, must be written as it is: not with $$, and not in a default or an environment variable`,
  malformed: (_name: string, usedBy: string) =>
    `A \${…} used by ${usedBy} is not a variable. Write \${NAME} or \${NAME:-default}, or $\${ for the characters themselves`,
};
