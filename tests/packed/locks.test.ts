import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const root = fileURLToPath(new URL("../..", import.meta.url));
const locks = execFileSync("git", ["ls-files", "package-lock.json", "*/package-lock.json"], { cwd: root })
  .toString()
  .trim()
  .split("\n");

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ resolved: z.string().optional(), optionalDependencies: z.record(z.string(), z.string()).default({}) }),
  ),
});

describe.each(locks)("%s", (file) => {
  it("has the packages of every platform, and names no registry for any of them", async () => {
    const { packages } = Lock.parse(JSON.parse(await readFile(join(root, file), "utf8")));
    const held = new Set(Object.keys(packages).map((path) => path.split("node_modules/").at(-1)));
    const wanted = Object.values(packages).flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies));
    expect(wanted.filter((name) => !held.has(name))).toEqual([]);
    const addresses = Object.values(packages).flatMap(({ resolved }) => resolved ?? []);
    expect(addresses.filter((address) => address.includes(":"))).toEqual([]);
  });
});
