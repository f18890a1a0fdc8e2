import { isJsonObject, type JsonObject } from "./json.ts";

/** How a keyword holds schemas: as a map from names to schemas, as a list, or as a single schema. */
type Holding = "map" | "list" | "one" | "one-or-list" | "map-of-some";

const HOLDINGS: ReadonlyMap<string, Holding> = new Map<string, Holding>([
  ["properties", "map"],
  ["patternProperties", "map"],
  ["$defs", "map"],
  ["definitions", "map"],
  ["dependentSchemas", "map"],
  ["dependencies", "map-of-some"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["prefixItems", "list"],
  ["items", "one-or-list"],
  ["not", "one"],
  ["if", "one"],
  ["then", "one"],
  ["else", "one"],
  ["additionalProperties", "one"],
  ["additionalItems", "one"],
  ["unevaluatedProperties", "one"],
  ["unevaluatedItems", "one"],
  ["contains", "one"],
  ["propertyNames", "one"],
]);

/** Keywords that refer to another schema. What a dynamic one leads to may depend on where the check came from. */
export const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];

/** Finds a keyword that should hold schemas but does not. */
export function wrongHolder(
  schema: JsonObject,
): { readonly keyword: string; readonly not: "map" | "list" } | undefined {
  for (const keyword of Object.keys(schema)) {
    const holding = HOLDINGS.get(keyword);
    if (holding === "map" && !isJsonObject(schema[keyword])) return { keyword, not: "map" };
    if (holding === "list" && !Array.isArray(schema[keyword])) return { keyword, not: "list" };
  }
  return undefined;
}

/** Lists the direct subschemas of a schema, each with its location. */
export function subschemas(schema: JsonObject): (readonly [where: string, part: unknown])[] {
  const parts: (readonly [string, unknown])[] = [];
  for (const keyword of Object.keys(schema)) {
    const holding = HOLDINGS.get(keyword);
    const held = schema[keyword];
    if (holding === undefined || held === undefined) continue;
    if (holding === "map" || holding === "map-of-some") {
      if (!isJsonObject(held)) continue;
      // `dependencies` may also hold lists of property names.
      for (const name of Object.keys(held))
        if (holding === "map" || !Array.isArray(held[name])) parts.push([`${keyword}/${name}`, held[name]]);
      continue;
    }
    if (!Array.isArray(held)) parts.push([keyword, held]);
    else for (const [index, part] of held.entries()) parts.push([`${keyword}/${index}`, part]);
  }
  return parts;
}
