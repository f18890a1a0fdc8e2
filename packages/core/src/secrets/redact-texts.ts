import { isJsonObject, type Json } from "../json/json.ts";
import { nestsDeeper } from "../json/nesting.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import { redactJson } from "./redact.ts";

/** What is written for people and models. All else is structure, in which a word may be somebody's secret by chance. */
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
const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);
/** Deeper ones are used by nobody. */
const DEEPEST_DEFINITION = 200;

/** A definition of a server without secrets in its texts: some servers describe what they are connected to. */
export function redactTexts<T>(definition: T, redact: Redactor): T {
  if (redact.idle || nestsDeeper(definition, DEEPEST_DEFINITION)) return definition;
  // Nearly none holds one, and to look is cheaper than to copy. Text by text: in one long JSON text a secret that a
  // description quotes would be escaped once more than any form it is known in.
  return redactJson(redact, definition) === definition ? definition : (redactPart(definition as Json, redact) as T);
}

/** In a map of schemas keys are names: a parameter may be called `description` or `default`. */
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
