// breaks style/noRestrictedImports
import { decide } from "../call/decide.ts";
export const borrowed = decide;
