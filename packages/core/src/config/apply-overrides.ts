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

/** S4's prefix (C4.5) for S4's files, and our own for every file. The double underscore keeps TACKLEBOX_DATA and its like out. */
const PREFIXES = [
  { prefix: "APP_MYAI__", start: ["myai"] },
  { prefix: "TACKLEBOX__", start: [] },
] as const;

/**
 * Puts values of the environment over values of the file, before anything is checked (D.17). `__` goes one step down;
 * a step into a list is an index or the entry's name. Only what the file could say itself can be overridden.
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

/** Where a problem with an overridden value is: in the variable, not in the file. */
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
    return { kind: "refused", message: `'${where}' has ${list.length} entries, counted from 0, and ${what}` };
  }
  const put = putAt(list[index], rest, value, [...walked, index]);
  return put.kind === "ok" ? { ...put, value: list.with(index, put.value) } : put;
}

/** Variable names are upper case by custom and cannot hold a hyphen. */
function sameName(name: string, step: string): boolean {
  const plain = (text: string) => text.toLowerCase().replaceAll("-", "_");
  return plain(name) === plain(step);
}

/** Numbers, booleans, lists and maps as JSON writes them; everything else is text. */
function toValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
