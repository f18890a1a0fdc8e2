import type { ArgumentProblem } from "../domain/call.ts";
import { isJsonObject, type JsonSchema } from "../json/json.ts";
import { REFERENCES } from "../json/schema-parts.ts";
import { createReferences, type SchemaReferences } from "../json/schema-references.ts";

/** Names that every object inherits: code that copies members by name may modify all objects through them (T26). */
const RESERVED: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Far more than real arguments have; deeper ones would overflow the stack of code that traverses them later. */
export const MAX_ARGUMENTS_DEPTH = 100;
/** Limited because each one is looked up in the schema, which takes time. */
const MAX_RESERVED = 20;

/** A position in the arguments, as a linked list, so that the usual case allocates little. */
interface Place {
  readonly above: Place | undefined;
  readonly step: string;
  readonly depth: number;
}

/**
 * Finds what no schema can allow: excessive nesting, numbers that JSON cannot carry, and reserved names that the schema
 * does not declare at that place.
 */
export function shapeProblems(schema: JsonSchema, value: unknown): readonly ArgumentProblem[] {
  if (isHarmless(value, 0)) return NONE;
  const waiting: [object, Place | undefined][] = isHolder(value) ? [[value, undefined]] : [];
  const reserved: [Place | undefined, string][] = [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [holder, above] = next;
    const depth = (above?.depth ?? 0) + 1;
    if (depth > MAX_ARGUMENTS_DEPTH)
      return [{ path: "", message: `must not be nested more than ${MAX_ARGUMENTS_DEPTH} levels deep` }];
    if (Array.isArray(holder)) {
      for (const [index, item] of holder.entries())
        if (isHolder(item)) waiting.push([item, { above, step: String(index), depth }]);
        else if (isEndless(item)) return [endless({ above, step: String(index), depth })];
      continue;
    }
    for (const step of Object.keys(holder)) {
      const member: unknown = Reflect.get(holder, step);
      if (RESERVED.has(step) && member !== undefined) reserved.push([above, step]);
      if (isHolder(member)) waiting.push([member, { above, step, depth }]);
      else if (isEndless(member)) return [endless({ above, step, depth })];
    }
  }
  if (reserved.length > MAX_RESERVED)
    return [{ path: "", message: `has more than ${MAX_RESERVED} properties called ${[...RESERVED].join(", ")}` }];
  return reserved.flatMap(([place, name]) => {
    if (isDeclared(schema, stepsOf(place), name)) return [];
    return [{ path: pathOf(place), message: `has the property "${name}", which the tool's schema does not declare` }];
  });
}

const NONE: readonly ArgumentProblem[] = [];

/** A quick check without allocations, true for nearly all arguments. False only means that a closer look is needed. */
function isHarmless(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return !isEndless(value);
  if (depth >= MAX_ARGUMENTS_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isHarmless(item, depth + 1));
  for (const key in value) if (RESERVED.has(key) || !isHarmless(Reflect.get(value, key), depth + 1)) return false;
  return true;
}

function isHolder(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a value is infinite or not a number at all, such as what parsing makes of 1e400: as JSON it becomes null. */
function isEndless(value: unknown): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}

function endless(place: Place): ArgumentProblem {
  return { path: pathOf(place), message: "must be a number that JSON can carry; write larger ones as strings" };
}

function pathOf(place: Place | undefined): string {
  return stepsOf(place)
    .map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

function stepsOf(place: Place | undefined): string[] {
  const steps: string[] = [];
  for (let at = place; at !== undefined; at = at.above) steps.unshift(at.step);
  return steps;
}

function isDeclared(root: JsonSchema, steps: readonly string[], name: string): boolean {
  const references = createReferences(root);
  let schemas = applying([root], references);
  for (const step of steps)
    schemas = applying(
      [...schemas].flatMap((schema) => schemasFor(schema, step)),
      references,
    );
  return [...schemas].some(({ properties }) => isJsonObject(properties) && Object.hasOwn(properties, name));
}

/** Returns these schemas and all that they apply to the same value, whether or not a condition holds. */
function applying(schemas: readonly unknown[], references: SchemaReferences): Set<JsonSchema> {
  const found = new Set<JsonSchema>();
  const waiting = schemas.filter(isJsonObject);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!isJsonObject(next) || found.has(next)) continue;
    found.add(next);
    const { allOf, anyOf, oneOf, then, else: otherwise, dependentSchemas } = next;
    const dependent = isJsonObject(dependentSchemas) ? Object.values(dependentSchemas) : [];
    waiting.push(...[allOf, anyOf, oneOf, then, otherwise, dependent].flat().filter(isJsonObject));
    for (const keyword of REFERENCES) {
      const reference = next[keyword];
      const target = typeof reference === "string" ? references.resolve(next, reference) : undefined;
      if (isJsonObject(target)) waiting.push(target);
    }
  }
  return found;
}

/** Returns the schemas that a schema applies to one of its members or items. */
function schemasFor({ properties, additionalProperties, items, prefixItems }: JsonSchema, step: string): unknown[] {
  const named = isJsonObject(properties) && Object.hasOwn(properties, step) ? [properties[step]] : [];
  return [...named, additionalProperties, ...[items].flat(), ...[prefixItems].flat()];
}
