import type * as z from "zod/mini";
import { nearestName, suggestion } from "../../text/nearest-name.ts";
import { type Path, pathText, printable } from "./path.ts";
import type { Report } from "./report.ts";

/** Compiling a schema pays off only after hundreds of values; a config has a few of each. */
const ONCE = { jitless: true };

/**
 * Returns the value as the schema types it and reports everything that does not fit. A map that fits without its
 * faulty members is returned without them, so that later steps can find their problems too.
 */
export function checkShape<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  path: Path,
  report: Report,
): z.infer<Schema> | undefined {
  const whole = schema.safeParse(value, ONCE);
  if (whole.success) return whole.data;
  const { issues } = whole.error;
  // Unknown keys come first, so that the key one of them was meant to be is not reported as missing.
  for (const issue of issues)
    if (issue.code === "unrecognized_keys") reportUnknownKeys(issue, schema, value, path, report);
  for (const issue of issues) if (issue.code !== "unrecognized_keys") reportIssue(issue, path, report);
  if (!isMap(value)) return undefined;
  const faulty = new Set(
    issues.flatMap((issue) =>
      issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : [issue.path[0]],
    ),
  );
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !faulty.has(key)));
  return schema.safeParse(rest, ONCE).data;
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function reportUnknownKeys(
  issue: z.core.$ZodIssueUnrecognizedKeys,
  schema: z.core.$ZodType,
  value: unknown,
  path: Path,
  report: Report,
): void {
  const steps = stepsOf(issue);
  const written = steps.reduce<unknown>((map, step) => (isMap(map) ? map[String(step)] : undefined), value);
  const known = keysAt(schema, steps);
  for (const key of issue.keys) {
    report.problem([...path, ...steps, key], unknownKey(key, known), "key");
    const meant = nearestName(key, known);
    // If the intended key is there as well, its own problems are reported.
    if (meant !== undefined && !(isMap(written) && Object.hasOwn(written, meant)))
      report.misspelt([...path, ...steps, meant]);
  }
}

function reportIssue(issue: z.core.$ZodIssue, path: Path, report: Report): void {
  const steps = stepsOf(issue);
  const at = [...path, ...steps];
  if (report.isBroken(at)) return;
  const label = pathText(steps.length === 0 ? path : steps);
  report.problem(at, `${label} ${issue.message}`, issue.code === "invalid_key" ? "key" : "value");
}

function stepsOf(issue: z.core.$ZodIssue): Path {
  return issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
}

export function unknownKey(key: string, known: readonly string[]): string {
  const meant = suggestion(key, known);
  return `Unknown key '${printable(key)}'.${meant === "" ? ` Known here: ${known.join(", ")}.` : meant}`;
}

/** Returns the keys a schema knows at a path inside it. */
function keysAt(schema: z.core.$ZodType, path: Path): readonly string[] {
  const [step, ...rest] = path;
  // The library's own union of all its schema kinds, which is how it documents walking them.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "optional" || def.type === "nullable" || def.type === "default") return keysAt(def.innerType, path);
  if (def.type === "union") return [...new Set(def.options.flatMap((option) => keysAt(option, path)))];
  if (def.type === "array") return keysAt(def.element, rest);
  if (def.type !== "object") return [];
  if (step === undefined) return Object.keys(def.shape);
  const member = def.shape[String(step)];
  return member === undefined ? [] : keysAt(member, rest);
}
