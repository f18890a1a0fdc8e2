// breaks style/noRestrictedImports
import { createEngine } from "../engine.ts";
export const borrowed = createEngine;
