// breaks correctness/noUndeclaredDependencies, style/noRestrictedImports
import OpenAI from "openai";
export const borrowed = OpenAI;
