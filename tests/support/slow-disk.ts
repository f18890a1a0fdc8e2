import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../fixtures/slow-disk/slow-disk.c", import.meta.url));

/**
 * Builds the library that slows a program's disk down when preloaded. Returns undefined where that is impossible: it takes
 * Linux and a C compiler.
 */
export function buildSlowDisk(folder: string): string | undefined {
  if (process.platform !== "linux") return undefined;
  const library = join(folder, "slow-disk.so");
  const { status } = spawnSync("cc", ["-shared", "-fPIC", "-o", library, source, "-ldl"]);
  return status === 0 ? library : undefined;
}
