// breaks style/noRestrictedImports
import { fingerprint } from "../catalog/fingerprint.ts";
export const borrowed = fingerprint;
