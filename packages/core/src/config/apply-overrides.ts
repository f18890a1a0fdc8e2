import { countOf } from "../text/count-of.ts";
import { isMap } from "./document/check-shape.ts";
import type { ConfigProblem } from "./document/config-problem.ts";
import type { Path } from "./document/path.ts";
import type { Environment } from "./fill-variables.ts";

export interface Override {
  readonly variable: string;
  readonly path: Path;
}

export interface Overridden {
  readonly root: Readonly<Record<string, unknown>>;
  readonly overrides: readonly Override[];
  readonly problems: readonly ConfigProblem[];
}

type Root = Readonly<Record<string, unknown>>;

/** One prefix for toolbox files, and one for every file. The double underscore excludes TACKLEBOX_DATA and the like. */
const PREFIXES = [
  { prefix: "APP_MYAI__", start: ["myai"] },
  { prefix: "TACKLEBOX__", start: [] },
] as const;

/** Whether an environment variable overrides a setting, rather than being one that a file may name. */
export function isOverride(variable: string): boolean {
  return PREFIXES.some(({ prefix }) => variable.startsWith(prefix));
}

/**
 * Overrides values of the file with values of the environment, before anything is checked. `__` goes one level down;
 * in a list, a step is an index or the entry's name. Only settings that the file could contain can be overridden.
 */
export function applyOverrides(root: Root, env: Environment): Overridden {
  let current: unknown = root;
  const overrides: Override[] = [];
  const problems: ConfigProblem[] = [];
  for (const [variable, value] of Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const steps = stepsOf(variable, root);
    if (steps === undefined || value === undefined) continue;
    const put = putAt(current, steps, toValue(value), []);
    if (put.kind === "refused") {
      problems.push({ file: sourceOf(variable), message: put.message });
      continue;
    }
    current = put.value;
    overrides.push({ variable, path: put.path });
  }
  return { root: isMap(current) ? current : root, overrides, problems };
}

/** The location of problems with an overridden value: the variable, not the file. */
export function sourceOf(variable: string): string {
  return `environment variable ${variable}`;
}

function stepsOf(variable: string, root: Root): readonly string[] | undefined {
  const found = PREFIXES.find(({ prefix }) => variable.startsWith(prefix));
  if (found === undefined || found.start.some((key) => !(key in root))) return undefined;
  return [...found.start, ...variable.slice(found.prefix.length).split("__")];
}

type Put =
  | { readonly kind: "ok"; readonly value: unknown; readonly path: Path }
  | { readonly kind: "refused"; readonly message: string };

function putAt(target: unknown, steps: readonly string[], value: unknown, walked: Path): Put {
  const [step, ...rest] = steps;
  if (step === undefined) return { kind: "ok", value, path: walked };
  if (step === "") return { kind: "refused", message: "A step between two double underscores is empty" };
  if (Array.isArray(target)) return putInList(target, step, rest, value, walked);
  if (target !== undefined && target !== null && !isMap(target))
    return { kind: "refused", message: `'${String(walked.at(-1))}' is a single value and has no '${step}'` };
  const map = isMap(target) ? target : {};
  const key = Object.keys(map).find((name) => sameName(name, step)) ?? step.toLowerCase();
  const put = putAt(Object.hasOwn(map, key) ? map[key] : undefined, rest, value, [...walked, key]);
  return put.kind === "ok" ? { ...put, value: { ...map, [key]: put.value } } : put;
}

function putInList(list: readonly unknown[], step: string, rest: readonly string[], value: unknown, walked: Path): Put {
  const named = list.findIndex((entry) => isMap(entry) && typeof entry.name === "string" && sameName(entry.name, step));
  const index = /^\d+$/.test(step) ? Number(step) : named;
  if (index < 0 || index >= list.length) {
    const what = named === -1 && !/^\d+$/.test(step) ? `no entry is named '${step}'` : `there is no entry ${step}`;
    const where = String(walked.at(-1));
    return {
      kind: "refused",
      message: `'${where}' has ${countOf(list.length, "entry", "entries")}, counted from 0, and ${what}`,
    };
  }
  const put = putAt(list[index], rest, value, [...walked, index]);
  return put.kind === "ok" ? { ...put, value: list.with(index, put.value) } : put;
}

/** Ignores case and hyphens: variable names are usually upper case and cannot contain a hyphen. */
function sameName(name: string, step: string): boolean {
  const plain = (text: string) => text.toLowerCase().replaceAll("-", "_");
  return plain(name) === plain(step);
}

/** Numbers, booleans, lists and maps are written as JSON; everything else is text. */
function toValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
