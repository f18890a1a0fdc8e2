import { cp, mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const badFolder = fileURLToPath(new URL("./bad", import.meta.url));

const settings = [".gitignore", "biome.json", "package.json"];
const workspaces = ["packages/core", "packages/mcp", "packages/models", "packages/storage", "apps/tacklebox", "tests"];

/** A folder that looks like this repository to a linter, but holds only the deliberately bad files. */
export async function createBadTree(): Promise<string> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "tacklebox-boundaries-"));
  for (const file of [...settings, ...workspaces.map((workspace) => `${workspace}/package.json`)]) {
    await cp(join(root, file), join(folder, file));
  }
  await cp(badFolder, folder, { recursive: true, filter: (source) => !source.startsWith(join(badFolder, "types")) });
  return folder;
}

export async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** What each bad file says it breaks in its first line, by the place it pretends to be. */
export async function readClaims(below = ""): Promise<ReadonlyMap<string, readonly string[]>> {
  const folder = join(badFolder, below);
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const claims = await Promise.all(
    files.map(async (file) => [pretendedPath(folder, file), await readClaim(file)] as const),
  );
  return new Map(claims.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function pretendedPath(folder: string, file: string): string {
  return relative(folder, file).split(sep).join("/");
}

async function readClaim(file: string): Promise<readonly string[]> {
  const [firstLine = ""] = (await readFile(file, "utf8")).split("\n", 1);
  const claim = /^\/\/ breaks (.+)$/.exec(firstLine)?.[1];
  if (claim === undefined) throw new Error(`${file} must say in its first line what it breaks.`);
  return claim === "nothing" ? [] : claim.split(", ").sort();
}
