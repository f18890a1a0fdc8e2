import type { ArgumentProblem } from "../domain/call.ts";
import { isJsonObject } from "../json/json.ts";
import { describeKeyword, describeTypes, hint, shorten } from "./describe-keyword.ts";
import type { Mismatch } from "./run.ts";

/** No one corrects more than this at once, and a million wrong items must not produce a million sentences. */
const MAX_PROBLEMS = 20;

/** Describes mismatches as sentences without a subject, which is the path of the value. */
export function describeMismatches(mismatches: readonly Mismatch[]): ArgumentProblem[] {
  const groups = new Map<unknown, Mismatch[]>();
  for (const found of mismatches) {
    // Alternatives that all fail at the same place are one mistake.
    const key = found.alternatives === undefined ? found : `${found.alternatives} ${found.path}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [found]);
    else group.push(found);
  }
  const problems = new Map<string, ArgumentProblem>();
  for (const group of groups.values()) {
    const problem = describeGroup(group);
    if (problem !== undefined) problems.set(JSON.stringify(problem), problem);
    if (problems.size === MAX_PROBLEMS) break;
  }
  // An empty list would mean that the value fits.
  if (problems.size === 0) return [{ path: "", message: "does not fit the tool's schema" }];
  return [...problems.values()];
}

function describeGroup(group: readonly Mismatch[]): ArgumentProblem | undefined {
  const [first] = group;
  if (first === undefined) return undefined;
  const { path, found } = first;
  if (group.every(({ keyword }) => keyword === "type")) {
    const types = group.flatMap(({ schema }) => schema.type ?? []);
    return { path, message: describeTypes(types, found) ?? UNNAMED };
  }
  const message = [...new Set(group.map(describeOne))].join(", or ");
  const ofArguments = path === "" && group.length === 1 ? describeOfArguments(first) : undefined;
  return { path, message, ...(ofArguments !== undefined && { ofArguments }) };
}

/** The members of the outermost object are what people call arguments. */
function describeOfArguments({ keyword, schema, found, name }: Mismatch): string | undefined {
  if (name !== undefined) return `unknown argument ${nameWithHint(name, schema.properties)}`;
  if (keyword !== "required" || !isJsonObject(found) || !Array.isArray(schema.required)) return undefined;
  const absent = schema.required.filter((one) => typeof one === "string" && !Object.hasOwn(found, one));
  const names = shorten(absent.map((one) => `"${one}"`).join(", "));
  return `${absent.length === 1 ? "missing argument" : "missing arguments"} ${names}`;
}

function describeOne({ keyword, schema, found, name }: Mismatch): string {
  if (name !== undefined) return `has the unknown property ${nameWithHint(name, schema.properties)}`;
  return describeKeyword(keyword, schema, found) ?? UNNAMED;
}

const UNNAMED = "does not fit the tool's schema";

function nameWithHint(name: string, properties: unknown): string {
  const known = isJsonObject(properties) ? Object.keys(properties).slice(0, MAX_SUGGESTIONS) : [];
  return `"${shorten(name)}"${hint(name, known)}`;
}

/** Comparing a name with thousands of others would take long. */
const MAX_SUGGESTIONS = 200;
