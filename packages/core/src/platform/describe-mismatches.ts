import type { OutputUnit } from "@cfworker/json-schema";
import type { ArgumentProblem } from "../domain/call.ts";
import { suggestion } from "../domain/nearest-name.ts";
import { describeKeyword, describeTypes } from "./describe-keyword.ts";
import { isRecord, memberAt, schemaHolding, stepsOf } from "./schema-location.ts";

/** Nobody corrects more than this at once, and a list of a million wrong items must not make a million sentences. */
const MOST_PROBLEMS = 20;

/** What an interpreter found, as sentences of ours that start behind the place they are about. */
export function describeMismatches(errors: readonly OutputUnit[], schema: unknown, value: unknown): ArgumentProblem[] {
  const closed = new Map(errors.filter(isClosed).map((unit) => [unit.instanceLocation, unit]));
  const groups = new Map<string, OutputUnit[]>();
  for (const unit of findCauses(errors)) {
    const key = JSON.stringify([alternativesOf(unit) ?? unit.keywordLocation, unit.instanceLocation]);
    groups.set(key, [...(groups.get(key) ?? []), unit]);
    if (groups.size > MOST_PROBLEMS) break;
  }
  const problems = new Map<string, ArgumentProblem>();
  for (const [first, ...others] of groups.values()) {
    if (first === undefined) continue;
    const problem = describeGroup(first, others);
    problems.set(JSON.stringify(problem), problem);
  }
  // No problem at all would mean that the value fits.
  if (problems.size === 0) return [{ path: "", message: "does not fit the tool's schema" }];
  return [...problems.values()].slice(0, MOST_PROBLEMS);

  function describeGroup(first: OutputUnit, others: readonly OutputUnit[]): ArgumentProblem {
    const [parent, name] = splitLast(first.instanceLocation);
    const closer = isForbidden(first.keyword) ? closed.get(parent) : undefined;
    if (closer !== undefined) return { path: pathOf(parent), message: describeUnknown(name, closer) };
    const units = [first, ...others];
    const found = memberAt(value, first.instanceLocation);
    const path = pathOf(first.instanceLocation);
    if (units.every(({ keyword }) => keyword === "type")) {
      const types = units.flatMap((unit) => schemaHolding(schema, unit.keywordLocation)?.type ?? []);
      return { path, message: describeTypes(types, found) ?? first.error };
    }
    const texts = units.map((unit) => describeOne(unit, found));
    return { path, message: [...new Set(texts)].join(", or ") };
  }

  function describeOne(unit: OutputUnit, found: unknown): string {
    const holder = schemaHolding(schema, unit.keywordLocation);
    return describeKeyword(unit.keyword, holder ?? {}, found) ?? unit.error;
  }

  function describeUnknown(name: string, closer: OutputUnit): string {
    const properties = schemaHolding(schema, closer.keywordLocation)?.properties;
    const known = isRecord(properties) ? Object.keys(properties).slice(0, MOST_SUGGESTIONS) : [];
    return `has the unknown property "${name}".${suggestion(name, known)}`;
  }
}

/** Measuring the distance to thousands of names would take long. */
const MOST_SUGGESTIONS = 200;

/** These only say that something below them is wrong, which is reported as well. */
const CONTAINERS = new Set([
  "$recursiveRef",
  "$ref",
  "additionalItems",
  "additionalProperties",
  "allOf",
  "if",
  "items",
  "patternProperties",
  "prefixItems",
  "properties",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** An interpreter reports every level above a mistake as well; people need the mistake itself. */
function findCauses(errors: readonly OutputUnit[]): OutputUnit[] {
  const above = new Set<string>();
  for (const { keyword, keywordLocation } of errors) {
    if (isForbidden(keyword)) continue;
    for (let at = keywordLocation.lastIndexOf("/"); at > 0; at = keywordLocation.lastIndexOf("/", at - 1)) {
      const level = keywordLocation.slice(0, at);
      if (above.has(level)) break;
      above.add(level);
    }
  }
  return errors.filter(
    ({ keyword, keywordLocation }) => isForbidden(keyword) || (!CONTAINERS.has(keyword) && !above.has(keywordLocation)),
  );
}

/** A schema that is just `false` has no keyword: what the interpreter calls its location is the value's. */
function isForbidden(keyword: string): boolean {
  return keyword === "false";
}

/** Where the alternatives are of which this is one, if it is. */
function alternativesOf({ keyword, keywordLocation }: OutputUnit): string | undefined {
  if (isForbidden(keyword)) return undefined;
  return /^(.*?\/(?:anyOf|oneOf))\/\d+\//.exec(keywordLocation)?.[1];
}

function isClosed({ keyword }: OutputUnit): boolean {
  return keyword === "additionalProperties" || keyword === "unevaluatedProperties";
}

function splitLast(location: string): [parent: string, name: string] {
  const at = location.lastIndexOf("/");
  return [location.slice(0, at), stepsOf(location).at(-1) ?? ""];
}

/** The interpreter writes locations as parts of an address; ours are plain JSON pointers. */
function pathOf(location: string): string {
  return decodeURIComponent(location.replace(/^#/, ""));
}
