// breaks style/noRestrictedImports
import { ENDINGS } from "../index.ts";
export const borrowed = ENDINGS;
