import { canonicalJson } from "../json/json.ts";
import { type CheckRun, spend, spendOn } from "./run.ts";

/** Whether two JSON values are equal. Their depth has been limited before. */
export function sameJson(a: unknown, b: unknown, run: CheckRun): boolean {
  if (a === b) return true;
  if (!spend(run, 1) || typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  const { length } = Object.keys(b);
  if (!spendOn(run, names.length + length) || names.length !== length) return false;
  return names.every((name) => Object.hasOwn(b, name) && sameJson(Reflect.get(a, name), Reflect.get(b, name), run));
}

/** Whether no two items are equal. Compares their texts, because comparing all pairs would take quadratic time. */
export function areUnique(items: readonly unknown[], run: CheckRun): boolean {
  const keys = new Set<unknown>();
  for (const item of items) {
    // Before serializing the item, which may take longer than all the rest.
    if (!spendOnText(item, run)) return false;
    const key = keyOf(item);
    if (keys.has(key)) return false;
    keys.add(key);
  }
  return true;
}

function spendOnText(value: unknown, run: CheckRun): boolean {
  if (typeof value === "string") return spend(run, 1 + (value.length >> 3));
  if (typeof value !== "object" || value === null) return spend(run, 1);
  if (Array.isArray(value)) return spend(run, 1) && value.every((item) => spendOnText(item, run));
  for (const name in value)
    if (!spend(run, 1 + (name.length >> 3)) || !spendOnText(Reflect.get(value, name), run)) return false;
  return spend(run, 1);
}

/** Two keys are equal only if the items are: the text of an object or a list never starts with a quote. */
function keyOf(item: unknown): unknown {
  if (typeof item === "string") return `"${item}`;
  return typeof item === "object" && item !== null ? canonicalJson(item) : item;
}
