import { isJsonObject } from "../json/json.ts";
import type { ValidationAnswer, ValidationJob } from "../ports/validator.ts";
import { createBoundedMap } from "./bounded-map.ts";
import { judgeValue } from "./judge-value.ts";
import { loadPatterns, matchNatively } from "./match-pattern.ts";
import { prepareSchema } from "./prepare-schema.ts";
import type { CompiledCheck } from "./run.ts";

/**
 * The code inside a validation worker. Steps are not counted, because the main thread watches the time and stops it.
 */
export async function createJobAnswerer(): Promise<(job: ValidationJob) => Promise<ValidationAnswer>> {
  // Loaded before the first job, because the deadline is for checking alone.
  await loadPatterns(matchNatively);
  const ready = createBoundedMap<CompiledCheck>();
  return async ({ schema: text, value }) => {
    try {
      const check = ready.get(text) ?? (await prepare(text));
      ready.set(text, check);
      const problems = judgeValue(check, value, Number.MAX_SAFE_INTEGER);
      if (problems !== undefined) return { kind: "checked", problems };
      return { kind: "unfinished", reason: "the arguments are nested too deeply for the tool's schema" };
    } catch (error) {
      return { kind: "unfinished", reason: error instanceof Error ? error.message : String(error) };
    }
  };
}

async function prepare(text: string): Promise<CompiledCheck> {
  const schema: unknown = JSON.parse(text);
  if (!isJsonObject(schema)) throw new Error("the tool's schema is not an object");
  return prepareSchema(schema, text, matchNatively);
}
