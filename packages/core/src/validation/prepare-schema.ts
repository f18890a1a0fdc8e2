import type { JsonSchema } from "../json/json.ts";
import { compileSchema } from "./compile-schema.ts";
import { loadPatterns, type Matcher } from "./match-pattern.ts";
import type { CompiledCheck } from "./run.ts";

/**
 * Compiles a schema; nothing is shared between two schemas. `costly` makes matchers for patterns that RE2 cannot match.
 */
export function prepareSchema(
  schema: JsonSchema,
  text: string,
  costly: (source: string) => Matcher,
): CompiledCheck | Promise<CompiledCheck> {
  // This also finds a property with that name, which does no harm.
  if (!text.includes('"pattern')) return compileSchema(schema, costly);
  return loadPatterns(costly).then((patterns) => compileSchema(schema, patterns));
}
