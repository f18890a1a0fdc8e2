// What a JSON text tells without being parsed, for programs that must start without loading the rest of the engine.
export { findInexactNumbers, type InexactNumber, inexactText } from "./inexact-numbers.ts";
export { textNestsDeeper } from "./text-nesting.ts";
