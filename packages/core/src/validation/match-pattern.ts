import type { RE2JS } from "re2js";
import { translatePattern } from "./translate-pattern.ts";

/** Tells whether a text contains what a pattern describes, and how many steps of a run that takes. */
export interface Matcher {
  steps(length: number): number;
  test(text: string): boolean;
}

export type Patterns = (source: string) => Matcher;

/** How much may be made ready of the patterns of one schema, in instructions of RE2. */
const MOST_INSTRUCTIONS = 20_000;
const LONGEST_SOURCE = 1_000;
/** Instructions that RE2 visits, at worst for every character, in the time of one step. */
const INSTRUCTIONS_PER_STEP = 8;

/** The patterns of a schema without any never need the library, which takes longer to load than all the rest. */
export async function loadPatterns(costly: (source: string) => Matcher): Promise<Patterns> {
  const { RE2JS } = await import("re2js");
  let left = MOST_INSTRUCTIONS;
  return (source) => {
    const compiled = left > 0 ? compileLinear(source, RE2JS) : undefined;
    if (compiled === undefined) return costly(source);
    const size = compiled.programSize();
    left -= size;
    return {
      steps: (length) => Math.ceil((size * length) / INSTRUCTIONS_PER_STEP),
      test: (text) => compiled.test(text),
    };
  };
}

function compileLinear(source: string, engine: typeof RE2JS): RE2JS | undefined {
  const translated = source.length > LONGEST_SOURCE ? undefined : translatePattern(source);
  if (translated === undefined) return undefined;
  try {
    return engine.compile(translated);
  } catch {
    // RE2 also refuses what would make its programs too large, such as x{2000}.
    return undefined;
  }
}

/** Where nothing may take long: more steps than any run has. */
export function postponeMatch(): Matcher {
  return { steps: () => Number.POSITIVE_INFINITY, test: () => false };
}

/** Where somebody else watches the time. */
export function matchNatively(source: string): Matcher {
  const expression = toRegExp(source);
  return { steps: () => 0, test: (text) => expression.test(text) };
}

function toRegExp(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch {
    // Many published schemas escape characters that the `u` flag refuses to see escaped.
    return new RegExp(source);
  }
}
