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
const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);
/** Deeper definitions are never used. */
const MAX_DEFINITION_DEPTH = 200;

/** Redacts secrets in the texts of a server's definition: some servers describe what they are connected to. */
export function redactTexts<T>(definition: T, redact: Redactor): T {
  if (redact.idle || nestsDeeper(definition, MAX_DEFINITION_DEPTH)) return definition;
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
