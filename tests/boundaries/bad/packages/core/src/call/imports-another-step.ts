// breaks style/noRestrictedImports
import { decide } from "./decide.ts";
export const borrowed = decide;
