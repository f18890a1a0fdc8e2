import { execFile } from "node:child_process";
import { delimiter, join } from "node:path";
import { z } from "zod";
import { root } from "./bad-tree.ts";

export interface Finding {
  readonly file: string;
  readonly rule: string;
}

const BiomeReport = z.object({
  diagnostics: z.array(
    z.object({ category: z.string(), severity: z.string(), location: z.object({ path: z.string() }) }),
  ),
});

const OxlintReport = z.object({ diagnostics: z.array(z.object({ code: z.string(), filename: z.string() })) });

export async function lintWithBiome(folder: string): Promise<readonly Finding[]> {
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  const output = await run([biome, "lint", "--reporter=json", "--max-diagnostics=none", "."], folder);
  return BiomeReport.parse(JSON.parse(output))
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ category, location }) => ({ file: location.path, rule: category.replace(/^lint\//, "") }));
}

export async function lintWithOxlint(folder: string, file: string): Promise<readonly Finding[]> {
  const config = join(root, ".oxlintrc.json");
  const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
  const output = await run([oxlint, "--type-aware", "--format=json", `--config=${config}`, file], folder);
  return OxlintReport.parse(JSON.parse(output)).diagnostics.map(({ code, filename }) => ({
    file: filename,
    rule: code,
  }));
}

export async function searchBoundaries(folder: string): Promise<readonly Finding[]> {
  const output = await run([join(root, "scripts/boundaries.mjs"), folder], folder);
  return [...output.matchAll(/^(\S+):\d+ (\S+): .+$/gm)].map(([, file = "", rule = ""]) => ({
    file,
    rule: `boundaries/${rule}`,
  }));
}

/** The codes of the compiler's complaints, by file. */
export async function checkTypes(projectFile: string, folder: string): Promise<readonly Finding[]> {
  const output = await run(
    [join(root, "node_modules/typescript/bin/tsc"), "-p", projectFile, "--pretty", "false"],
    folder,
  );
  return [...output.matchAll(/^(\S+)\(\d+,\d+\): error (TS\d+):/gm)].map(([, file = "", rule = ""]) => ({
    file,
    rule,
  }));
}

/** These tools exit with an error when they find something, so only what they print counts. */
function run(args: readonly string[], cwd: string): Promise<string> {
  // Some of them look for others there, as npm lets them.
  const env = { ...process.env, PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH ?? ""}` };
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout) => done(stdout));
  });
}
