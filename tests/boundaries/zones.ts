import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { root } from "./bad-tree.ts";

const BiomeConfig = z.object({
  overrides: z.array(
    z.object({
      includes: z.array(z.string()),
      linter: z.object({ rules: z.record(z.string(), z.record(z.string(), z.unknown())) }),
    }),
  ),
});

/** The globs of every override that restricts imports. */
export async function readImportZones(): Promise<readonly (readonly string[])[]> {
  const config = BiomeConfig.parse(JSON.parse(await readFile(join(root, "biome.json"), "utf8")));
  return config.overrides
    .filter(({ linter }) => linter.rules.style !== undefined && "noRestrictedImports" in linter.rules.style)
    .map(({ includes }) => includes);
}

/** Biome's reading: the last glob that matches decides, and a leading `!` says no. */
export function isInZone(file: string, globs: readonly string[]): boolean {
  const last = globs.findLast((glob) => toPattern(glob.replace(/^!/, "")).test(file));
  return last !== undefined && !last.startsWith("!");
}

function toPattern(glob: string): RegExp {
  const source = glob
    .replace(/[.+^$()|[\]{}]/g, "\\$&")
    .replace(/\*\*\/|\*\*|\*/g, (star) => ({ "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*" })[star] ?? star);
  return new RegExp(`^${source}$`);
}
