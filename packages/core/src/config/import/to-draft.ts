import type { Launch } from "../../domain/launch.ts";
import { OTHER_PROGRAMS_RULES, type Translation, translateEntry } from "../dialects/translate-entry.ts";
import { checkShape, isMap } from "../document/check-shape.ts";
import { type Path, printable } from "../document/path.ts";
import { Report } from "../document/report.ts";
import { WrittenEntry } from "../entries/server-entry.ts";
import { toDefinition } from "../entries/to-definition.ts";
import { LAUNCH_FIELDS } from "../entries/to-launch.ts";
import { isFieldOf, isImplied } from "../entries/written-transports.ts";
import { describeLaunchRisks } from "./describe-launch-risks.ts";
import type { FoundEntry } from "./find-entries.ts";
import type { ImportDraft, ImportedSecret, ShownLaunch } from "./import-draft.ts";
import { moveSecretsOut } from "./move-secrets-out.ts";
import { type RewrittenEntry, rewriteReferences } from "./rewrite-references.ts";

export interface DraftContext {
  readonly hints: ReadonlyMap<string, string>;
  readonly takenSecrets: Set<string>;
}

export type Drafted =
  | { readonly kind: "draft"; readonly draft: ImportDraft }
  /** A server that we cannot start; the report says why. */
  | { readonly kind: "skipped" }
  | { readonly kind: "faulty" };

type Entry = Readonly<Record<string, unknown>>;

/** Turns a server of the file into a draft. Warnings and problems go to the report, with their place in the file. */
export function toDraft(
  found: FoundEntry,
  nameOf: (written: string) => string,
  { hints, takenSecrets }: DraftContext,
  report: Report,
): Drafted {
  const translation = translate(found);
  for (const { key, text } of translation.warnings) report.warn([...found.path, key], text);
  if (translation.kind === "skipped") return translation;

  const own = new Report();
  const rewritten = rewriteReferences(translation.entry, found.path, own);
  const launch = readLaunch(found.name, rewritten.entry, found.path, own);
  const toWritten = createPathMapper(found.path, translation.origins);
  report.problems.push(...own.problems.map((finding) => ({ ...finding, path: toWritten(finding.path) })));
  report.warnings.push(...own.warnings.map((finding) => ({ ...finding, path: toWritten(finding.path) })));
  if (launch === undefined || report.problems.length > 0 || !isMap(rewritten.entry)) return { kind: "faulty" };

  const name = nameOf(found.name);
  if (name !== found.name) report.warn(found.path, `'${printable(found.name)}' is imported as '${name}'`);
  for (const text of describeLaunchRisks(found.name, launch)) report.warn(found.path, text);
  if (rewritten.unknown.length > 0) report.warn(found.path, describeUnknown(found.name, rewritten.unknown));

  for (const secret of rewritten.inputs.keys()) takenSecrets.add(secret);
  const ordered = inOrder(inProjectFolder(rewritten.entry, found.project), launch);
  const { entry, secrets } = moveSecretsOut(name, ordered, takenSecrets);
  const heldBack = whyHeldBack(rewritten);
  return {
    kind: "draft",
    draft: {
      name,
      entry: { ...entry, enabled: false },
      secrets: [...inputSecrets(rewritten, hints), ...secrets],
      shown: toShown(entry, rewritten.reads),
      ...(heldBack === undefined ? {} : { heldBack }),
    },
  };
}

function translate({ name, value, path, syntax }: FoundEntry): Translation {
  if (syntax === "ours") return { kind: "ok", entry: value, origins: new Map(), warnings: [] };
  const source = path[0] === "context_servers" && isMap(value) ? fromZed(value) : value;
  const translation = translateEntry(name, source);
  if (translation.kind === "skipped" || !isMap(translation.entry)) return translation;
  return { ...translation, entry: { ...translation.entry, ...textVariables(translation.entry) } };
}

/** Marks servers that come from Zed's extensions, of which the file only has the settings. */
function fromZed(value: Entry): Entry {
  if ("settings" in value && !("command" in value) && !("url" in value)) return { ...value, source: "extension" };
  return value.source === "custom" ? withoutKeys(value, new Set(["source"])) : value;
}

/** Converts variables to text: VS Code also allows numbers, and null for an unset variable. */
function textVariables({ env }: Entry): { env?: unknown } {
  if (!isMap(env)) return {};
  const members = Object.entries(env).filter(([, value]) => value !== null);
  return { env: Object.fromEntries(members.map(([key, value]) => [key, isPlain(value) ? String(value) : value])) };
}

function isPlain(value: unknown): boolean {
  return typeof value === "number" || typeof value === "boolean";
}

/** Reads the entry like one of our own files, with placeholders for references in the URL. */
function readLaunch(name: string, entry: unknown, path: Path, report: Report): Launch | undefined {
  const fields = checkShape(WrittenEntry, entry, path, report);
  if (fields === undefined) return undefined;
  const url = fields.url ? { url: fillPlaceholders(fields.url) } : {};
  const definition = toDefinition(name, { ...fields, ...url }, OTHER_PROGRAMS_RULES, path, report);
  if (definition === undefined || !("url" in definition.launch)) return definition?.launch;
  return { ...definition.launch, url: fields.url ?? "" };
}

function fillPlaceholders(url: string): string {
  return url
    .replace(/^\$\{[^}]*\}/, "https://localhost")
    .replace(/\$\{[^}]*?(?::-([^}]*))?\}/g, (_match, fallback: string | undefined) => fallback ?? "1");
}

/** Maps paths in the translated entry back to paths in the file. */
function createPathMapper(path: Path, origins: ReadonlyMap<string, Path>): (found: Path) => Path {
  return (found) => {
    const [step, ...rest] = found.slice(path.length);
    const origin = step === undefined ? undefined : origins.get(String(step));
    return origin === undefined ? found : [...path, ...origin, ...rest];
  };
}

/** Sets the project's folder as working directory if the command or an argument is relative to it. */
function inProjectFolder(entry: Entry, project: string | undefined): Entry {
  const args = Array.isArray(entry.args) ? entry.args : [];
  const isRelative = [entry.command, ...args].some((text) => typeof text === "string" && /^\.\.?([\\/]|$)/.test(text));
  if (project === undefined || entry.cwd || !isRelative) return entry;
  return { ...entry, cwd: project.replaceAll("${", "$${") };
}

const FIRST_KEYS: readonly string[] = ["description", "transport", ...LAUNCH_FIELDS];

/** Keeps the fields that apply to the transport, in the same order in every draft. */
function inOrder(entry: Entry, { transport }: Launch): Entry {
  const foreign = [...LAUNCH_FIELDS, "allow_insecure_http" as const].filter((field) => !isFieldOf(transport, field));
  const kept: Entry = {
    ...withoutKeys(entry, new Set(["enabled", "transport", ...foreign])),
    ...(isImplied(transport) ? {} : { transport }),
  };
  const keys = [
    ...FIRST_KEYS.filter((key) => key in kept),
    ...Object.keys(kept).filter((key) => !FIRST_KEYS.includes(key)),
  ];
  return Object.fromEntries(keys.map((key) => [key, kept[key]]).filter(([, value]) => !isEmpty(value)));
}

function withoutKeys(entry: Entry, keys: ReadonlySet<string>): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.has(key)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function inputSecrets({ inputs }: RewrittenEntry, hints: DraftContext["hints"]): ImportedSecret[] {
  return [...inputs].map(([name, id]) => {
    const hint = hints.get(id);
    return { name, where: `input ${id}`, ...(hint === undefined ? {} : { hint }) };
  });
}

function toShown(entry: Entry, reads: readonly string[]): ShownLaunch {
  const { command, args, url, env, cwd } = entry;
  const list = Array.isArray(args) ? args.map(String) : [];
  return {
    ...(typeof command === "string" ? { command: [command, ...list] } : {}),
    ...(typeof url === "string" ? { url } : {}),
    env: isMap(env) ? Object.keys(env) : [],
    reads,
    ...(typeof cwd === "string" ? { cwd } : {}),
  };
}

function whyHeldBack({ entry, unknown }: RewrittenEntry): string | undefined {
  if (unknown.length > 0) return `it uses ${unknown.map(printable).join(", ")}`;
  return isMap(entry) && entry.enabled === false ? "it is disabled there" : undefined;
}

function describeUnknown(name: string, unknown: readonly string[]): string {
  return `MCP server '${printable(name)}' uses ${unknown.map(printable).join(", ")}, which only an editor can fill in; write the value in its place before you enable it`;
}
