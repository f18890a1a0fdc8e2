import type { RE2JS } from "re2js";
import { translatePattern } from "./translate-pattern.ts";

/** Tests texts against a pattern; `steps` is how many steps of a run that takes for a text of the given length. */
export interface Matcher {
  steps(length: number): number;
  test(text: string): boolean;
}

export type Patterns = (source: string) => Matcher;

/** The total size of one schema's compiled patterns, in RE2 instructions. */
const MAX_INSTRUCTIONS = 20_000;
const MAX_SOURCE_LENGTH = 1_000;
/** How many instructions RE2 executes in the time of one step. At worst it executes each for every character. */
const INSTRUCTIONS_PER_STEP = 8;

/** Loads RE2 on demand: it takes longer to load than all the rest, and most schemas have no patterns. */
export async function loadPatterns(costly: (source: string) => Matcher): Promise<Patterns> {
  const { RE2JS } = await import("re2js");
  let left = MAX_INSTRUCTIONS;
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
  const translated = source.length > MAX_SOURCE_LENGTH ? undefined : translatePattern(source);
  if (translated === undefined) return undefined;
  try {
    return engine.compile(translated);
  } catch {
    // RE2 also refuses what would make its programs too large, such as x{2000}.
    return undefined;
  }
}

/** For synchronous checks: takes more steps than any run has, which moves the check to a worker. */
export function postponeMatch(): Matcher {
  return { steps: () => Number.POSITIVE_INFINITY, test: () => false };
}

/** For workers, which are stopped if they take too long. */
export function matchNatively(source: string): Matcher {
  const expression = toRegExp(source);
  return { steps: () => 0, test: (text) => expression.test(text) };
}

function toRegExp(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch {
    // Many published schemas escape characters that may not be escaped under the `u` flag.
    return new RegExp(source);
  }
}
