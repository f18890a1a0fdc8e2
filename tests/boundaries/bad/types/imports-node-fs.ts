// breaks TS2591
import { readFileSync } from "node:fs";
export const read = readFileSync;
