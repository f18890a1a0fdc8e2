// @ts-check
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Builds the library that slows a program's disk down when preloaded. Returns undefined where that is impossible: it takes
 * Linux and a C compiler.
 *
 * @param {string} folder where the library is put
 * @returns {string | undefined}
 */
export function buildSlowDisk(folder) {
  if (process.platform !== "linux") return undefined;
  const library = join(folder, "slow-disk.so");
  const source = fileURLToPath(new URL("../../tests/fixtures/slow-disk/slow-disk.c", import.meta.url));
  const { status } = spawnSync("cc", ["-shared", "-fPIC", "-o", library, source, "-ldl"]);
  return status === 0 ? library : undefined;
}
