// breaks correctness/noNodejsModules
import { readFileSync } from "node:fs";
export const borrowed = readFileSync;
