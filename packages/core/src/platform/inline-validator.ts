import { Validator as Interpreter, type OutputUnit, type SchemaDraft } from "@cfworker/json-schema";
import type { ArgumentProblem } from "../domain/call.ts";
import type { JsonSchema } from "../domain/json.ts";
import type { Validator } from "../ports/validator.ts";

/** Checks on the spot by interpreting the schema: no code is generated, so it works under a strict CSP (T1.20). */
export const inlineValidator: Validator = {
  check: async (schema, value) => {
    const interpreter = interpreters.get(schema) ?? new Interpreter({ ...schema }, draftOf(schema), false);
    interpreters.set(schema, interpreter);
    const { valid, errors } = interpreter.validate(value);
    return valid ? [] : toProblems(errors);
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

/** An interpreter reports every level above a mistake as well; people need the mistake itself. */
function toProblems(errors: readonly OutputUnit[]): ArgumentProblem[] {
  const causes = errors.filter(
    (error) =>
      !errors.some((other) => other !== error && other.keywordLocation.startsWith(`${error.keywordLocation}/`)),
  );
  return causes.map(({ instanceLocation, error }) => ({
    path: instanceLocation.replace(/^#\/?/, "/").replace(/^\/$/, ""),
    message: error,
  }));
}
