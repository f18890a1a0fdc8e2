import { isJsonObject, type Json } from "../json/json.ts";
import { nestsDeeper } from "../json/nesting.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import { redactJson } from "./redact.ts";

/** Members written for people and models. The rest is structure, in which a word may equal a secret by chance. */
const TEXTS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "$comment",
  "default",
  "examples",
  "annotations",
  "icons",
  "_meta",
]);
/** Members whose keys are names that a server chose. */
const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);
/** More than a tool may have, also inside the value that it is kept in. */
const MAX_DEFINITION_DEPTH = 250;

/**
 * Redacts secrets in the texts of a server's definition: some servers describe what they are connected to. In a deeper
 * one than is ever used they are redacted everywhere, as the texts in it are not told apart.
 */
export function redactTexts<T>(definition: T, redact: Redactor): T {
  if (redact.idle) return definition;
  if (nestsDeeper(definition, MAX_DEFINITION_DEPTH)) return redactJson(redact, definition);
  // Hardly any definition holds a secret, and searching is cheaper than copying. Each text is searched by itself: in
  // one long JSON text, a secret that a description quotes would be escaped once more than in any of its known forms.
  return redactJson(redact, definition) === definition ? definition : (redactPart(definition as Json, redact) as T);
}

/** In a map of schemas, keys are names: a parameter may be called `description` or `default`. */
function redactPart(value: Json, redact: Redactor, isMap = false): Json {
  if (typeof value !== "object" || value === null) return value;
  if (!isJsonObject(value)) return value.map((item) => redactPart(item, redact));
  return Object.fromEntries(
    Object.entries(value).map(([key, member = null]) => [
      key,
      !isMap && TEXTS.has(key) ? redactJson(redact, member) : redactPart(member, redact, !isMap && MAPS.has(key)),
    ]),
  );
}

/** What the specifications call the members of tools and schemas. The name of one may equal a secret by chance. */
const KEYWORDS: ReadonlySet<string> = new Set(
  `name title description inputSchema outputSchema annotations icons execution taskSupport _meta
  $schema $id $ref $anchor $defs $comment $vocabulary $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor
  definitions type enum const default examples format pattern properties patternProperties additionalProperties
  unevaluatedProperties propertyNames required dependentRequired dependentSchemas dependencies items prefixItems
  additionalItems unevaluatedItems contains allOf anyOf oneOf not if then else minimum maximum exclusiveMinimum
  exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minContains maxContains minProperties
  maxProperties contentEncoding contentMediaType contentSchema readOnly writeOnly deprecated nullable`.split(/\s+/),
);
const TYPES: ReadonlySet<unknown> = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/**
 * Whether a definition holds a secret that redactTexts leaves in place: in a name, a constant, a choice or any other part
 * that cannot be redacted without turning it into something else (F9). One that is too deep to be told apart holds one if
 * there is any in it.
 */
export function holdsSecretBesidesTexts(definition: unknown, redact: Redactor): boolean {
  if (redact.idle || redactJson(redact, definition) === definition) return false;
  return nestsDeeper(definition, MAX_DEFINITION_DEPTH) || partHoldsSecret(definition as Json, redact);
}

function partHoldsSecret(value: Json, redact: Redactor, isMap = false): boolean {
  if (typeof value !== "object" || value === null) return redactJson(redact, value) !== value;
  if (!isJsonObject(value)) return value.some((item) => partHoldsSecret(item, redact));
  return Object.entries(value).some(([key, member = null]) => {
    if ((isMap || !KEYWORDS.has(key)) && redact(key) !== key) return true;
    if (isMap) return partHoldsSecret(member, redact);
    if (TEXTS.has(key)) return false;
    if (key === "enum" || key === "const") return redactJson(redact, member) !== member;
    return !(key === "type" && isType(member)) && partHoldsSecret(member, redact, MAPS.has(key));
  });
}

function isType(value: Json): boolean {
  return Array.isArray(value) ? value.every((item) => TYPES.has(item)) : TYPES.has(value);
}
