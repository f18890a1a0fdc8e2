import type { JsonObject } from "../json/json.ts";
import type { DynamicKeyword } from "../json/schema-references.ts";
import type { Matcher } from "./match-pattern.ts";
import type { CompiledCheck } from "./run.ts";

export type SchemaDraft = "4" | "7" | "2019-09" | "2020-12";

/** What a keyword can use while it is compiled. */
export interface Compiler {
  readonly draft: SchemaDraft;
  schema(part: unknown): CompiledCheck;
  reference(holder: JsonObject, reference: string): CompiledCheck;
  dynamicReference(holder: JsonObject, keyword: DynamicKeyword, reference: string): CompiledCheck;
  pattern(source: string): Matcher;
}

/** Compiles one keyword of a schema; returns undefined if its value requires nothing. */
export type CompileKeyword = (wanted: unknown, schema: JsonObject, compiler: Compiler) => CompiledCheck | undefined;

/** In the order in which mismatches are reported. */
export type Keywords = readonly (readonly [keyword: string, compile: CompileKeyword])[];
