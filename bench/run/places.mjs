// @ts-check
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const bench = resolve(dirname(fileURLToPath(import.meta.url)), "..");
export const root = resolve(bench, "..");
export const hostFile = join(bench, "dist/host/host.js");
