import type { JsonObject } from "../domain/json.ts";
import type { Matcher } from "./match-pattern.ts";
import type { Check } from "./run.ts";

export type Draft = "4" | "7" | "2019-09" | "2020-12";

/** What a keyword may ask for while it is made ready. */
export interface Compiler {
  readonly draft: Draft;
  schema(part: unknown): Check;
  reference(holder: JsonObject, reference: string): Check;
  pattern(source: string): Matcher;
}

/** Makes one keyword of a schema ready; nothing when its value asks for nothing. */
export type CompileKeyword = (wanted: unknown, schema: JsonObject, compiler: Compiler) => Check | undefined;

/** In the order in which mistakes are told. */
export type Keywords = readonly (readonly [keyword: string, compile: CompileKeyword])[];
