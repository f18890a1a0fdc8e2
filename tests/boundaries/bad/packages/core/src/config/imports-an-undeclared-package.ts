// breaks correctness/noUndeclaredDependencies
import { Command } from "commander";
export const borrowed = Command;
