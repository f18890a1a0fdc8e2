import { Validator as Interpreter, type SchemaDraft } from "@cfworker/json-schema";
import type { JsonSchema } from "../domain/json.ts";
import type { Validator } from "../ports/validator.ts";
import { describeMismatches } from "./describe-mismatches.ts";

/** Checks on the spot by interpreting the schema: no code is generated, so it works under a strict CSP (T1.20). */
export const inlineValidator: Validator = {
  check: async (schema, value) => {
    const interpreter = interpreters.get(schema) ?? new Interpreter({ ...schema }, draftOf(schema), false);
    interpreters.set(schema, interpreter);
    const { valid, errors } = interpreter.validate(value);
    return valid ? [] : describeMismatches(errors, schema, value);
  },
};

// Keyed by the object itself: a refreshed list brings new objects, and the old ones go with it (T28).
const interpreters = new WeakMap<JsonSchema, Interpreter>();

function draftOf({ $schema }: JsonSchema): SchemaDraft {
  if (typeof $schema !== "string") return "2020-12";
  if ($schema.includes("draft-04")) return "4";
  if ($schema.includes("draft-06") || $schema.includes("draft-07")) return "7";
  return $schema.includes("2019-09") ? "2019-09" : "2020-12";
}
