import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

export interface Finished {
  readonly code: number;
  /** stdout and stderr. */
  readonly output: string;
}

/** A copy of this repository that may be changed, with the packages that are installed here. */
export interface ScratchCopy {
  readonly folder: string;
  /** Writes a new file. */
  write(file: string, text: string): Promise<void>;
  /** Replaces a text that occurs once. */
  edit(file: string, before: string, after: string): Promise<void>;
  /** What was written or edited since the last time this was asked, in alphabetical order. */
  touched(): readonly string[];
  /** Runs Node in the copy. */
  node(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished>;
  remove(): Promise<void>;
}

export async function createScratchCopy(): Promise<ScratchCopy> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "tacklebox-recipes-"));
  for (const name of ["packages", "apps", "scripts", "tests", "bench"]) await copySources(name, folder);
  for (const name of await readdir(root)) {
    if (/^(package\.json|tsconfig.*\.json|vitest\.config\.ts)$/.test(name))
      await cp(join(root, name), join(folder, name));
  }
  await linkPackages(folder);
  const touched = new Set<string>();

  return {
    folder,
    async write(file, text) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text, { flag: "wx" });
      touched.add(file);
    },
    async edit(file, before, after) {
      const text = await readFile(join(folder, file), "utf8");
      if (text.split(before).length !== 2) throw new Error(`${file} has this text not once: ${before}`);
      await writeFile(
        join(folder, file),
        text.replace(before, () => after),
      );
      touched.add(file);
    },
    touched() {
      const files = [...touched].sort();
      touched.clear();
      return files;
    },
    async node(args, env = {}) {
      const options = {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: "1", ...env },
        maxBuffer: 1 << 26,
      };
      try {
        const { stdout, stderr } = await run(process.execPath, args, options);
        return { code: 0, output: stdout + stderr };
      } catch (error) {
        if (!(error instanceof Error && "stdout" in error && "stderr" in error && "code" in error)) throw error;
        return { code: Number(error.code), output: String(error.stdout) + String(error.stderr) };
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function copySources(name: string, folder: string): Promise<void> {
  await cp(join(root, name), join(folder, name), {
    recursive: true,
    filter: (source) => !/[\\/](?:dist|node_modules|coverage|bad)$/.test(source),
  });
}

/** Everything installed here, except our own packages: those are the copy's. */
async function linkPackages(folder: string): Promise<void> {
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@tacklebox"), { recursive: true });
  for (const name of await readdir(join(root, "node_modules"))) {
    if (name === "@tacklebox" || name === "tacklebox") continue;
    await symlink(join(root, "node_modules", name), join(modules, name));
  }
  for (const name of await readdir(join(folder, "packages"))) {
    await symlink(join(folder, "packages", name), join(modules, "@tacklebox", name));
  }
}
