import { execFile } from "node:child_process";
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
// biome-ignore lint/correctness/useImportExtensions: its types are beside it in a file with another extension
import { npmProgram } from "../support/scripts.mjs";
import { temporaryFolder } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Packed {
  /** The package file, with the name used in the documentation. */
  readonly tarball: string;
  /** The formerly empty folder it was installed into. */
  readonly folder: string;
  /** The file its command runs. */
  readonly program: string;
}

/** Makes the package as `npm run pack` does and installs it into an empty folder. */
export async function installPacked(): Promise<Packed> {
  const { version } = JSON.parse(await readFile(join(root, "apps/tacklebox/package.json"), "utf8"));
  const name = `tacklebox-${version}.tgz`;
  await runNpm(["run", "pack"], root);
  const folder = await temporaryFolder();
  const tarball = join(folder, name);
  await copyFile(join(root, "dist", name), tarball);
  await runNpm(["install", "--prefer-offline", `./${name}`], folder);
  return { tarball, folder, program: join(folder, "node_modules/tacklebox/bin/tacklebox.js") };
}

/** Runs npm as a person would in that folder. */
export async function runNpm(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 1e8 };
  return promisify(execFile)(process.execPath, [npmProgram(), ...quiet, ...args], options);
}
