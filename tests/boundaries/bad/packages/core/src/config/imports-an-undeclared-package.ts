// breaks correctness/noUndeclaredDependencies
import { pino } from "pino";
export const borrowed = pino;
