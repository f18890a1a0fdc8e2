import { isMap } from "./check-shape.ts";
import type { Path } from "./path.ts";
import type { Report } from "./report.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Who uses the variable, for messages: `server 'github'`. */
interface FillContext {
  readonly env: Environment;
  readonly usedBy: string;
}

/**
 * The value with `${VAR}`, `${VAR:-default}` and VS Code's `${env:VAR}` filled in; `$${` stands for `${`.
 * Only for files an operator wrote: anything else could read the environment this way.
 */
export function fillVariables(value: unknown, path: Path, context: FillContext, report: Report): unknown {
  if (typeof value === "string") return fillText(value, path, context, report);
  if (Array.isArray(value)) return value.map((item, index) => fillVariables(item, [...path, index], context, report));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fillVariables(member, [...path, key], context, report)]),
  );
}

function fillText(text: string, path: Path, context: FillContext, report: Report): string {
  return text.replace(/\$\$\{|\$\{([^}]*)\}|\$\{/g, (match, reference: string | undefined) => {
    if (match === "$${") return "${";
    const found = lookUp(reference ?? "", context.env);
    if (found.kind === "ok") return found.value;
    report.problem(path, PROBLEMS[found.kind](found.name, context.usedBy));
    return "";
  });
}

type Found =
  | { readonly kind: "ok"; readonly value: string }
  | { readonly kind: keyof typeof PROBLEMS; readonly name: string };

function lookUp(reference: string, env: Environment): Found {
  if (/^(input|secret):/.test(reference)) return { kind: "stored", name: reference };
  const match = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/.exec(reference);
  const name = match?.[1];
  if (name === undefined) return { kind: "malformed", name: reference };
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  const fallback = match?.[2];
  // As in a shell: a default also stands in for an empty value.
  if (fallback !== undefined) return { kind: "ok", value: value === undefined || value === "" ? fallback : value };
  return value === undefined ? { kind: "missing", name } : { kind: "ok", value };
}

const PROBLEMS = {
  missing: (name: string, usedBy: string) =>
    `The environment variable '${name}', used by ${usedBy}, is not set. Set it, or give a default: \${${name}:-default}`,
  stored: (_name: string, usedBy: string) =>
    `Stored secrets and inputs (\${secret:…}, \${input:…}), used by ${usedBy}, are not available yet. Use an environment variable instead: \${VAR}`,
  malformed: (_name: string, usedBy: string) =>
    `A \${…} used by ${usedBy} is not a variable. Write \${NAME} or \${NAME:-default}, or $\${ for the characters themselves`,
};
