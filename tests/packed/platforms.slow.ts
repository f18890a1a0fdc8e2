import { execFile } from "node:child_process";
import { cp, mkdir, open, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { temporaryFolder } from "../support/workspace.ts";
import { runNpm } from "./install-packed.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const Word = z.union([z.string(), z.array(z.string())]).transform((words) => [words].flat());
const Locked = z.object({
  packages: z.record(
    z.string(),
    z.object({ os: Word.optional(), cpu: Word.optional(), libc: Word.optional(), optional: z.boolean().optional() }),
  ),
});

/** The bytes that executables of each system start with, in hexadecimal. */
const PLATFORMS = [
  { os: "darwin", cpu: "arm64", libc: undefined, begins: ["cffaedfe", "cafebabe"] },
  { os: "darwin", cpu: "x64", libc: undefined, begins: ["cffaedfe", "cafebabe"] },
  { os: "win32", cpu: "x64", libc: undefined, begins: ["4d5a"] },
  { os: "linux", cpu: "arm64", libc: "glibc", begins: ["7f454c46"] },
  { os: "linux", cpu: "x64", libc: "musl", begins: ["7f454c46"] },
];

describe("the lock", () => {
  it.each(PLATFORMS)("gives $os $cpu its own binaries", async ({ os, cpu, libc, begins }) => {
    const folder = await copyManifests();
    const system = [`--os=${os}`, `--cpu=${cpu}`, ...(libc === undefined ? [] : [`--libc=${libc}`])];
    await runNpm(["ci", "--prefer-offline", "--ignore-scripts", ...system], folder);

    const { packages } = Locked.parse(JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")));
    const fits = (words: readonly string[] | undefined, wanted: string | undefined) =>
      words === undefined || wanted === undefined || words.includes(wanted);
    const native = Object.entries(packages)
      .filter(([, one]) => one.os !== undefined && one.cpu !== undefined)
      .filter(([, one]) => fits(one.os, os) && fits(one.cpu, cpu) && fits(one.libc, libc))
      .map(([path]) => path);
    for (const tool of TOOLS) expect(native).toContainEqual(expect.stringContaining(tool));
    for (const path of native) {
      const found = await beginnings(join(folder, path));
      expect(
        found.filter((beginning) => begins.some((one) => beginning.startsWith(one))),
        path,
      ).not.toEqual([]);
    }
  });
});

/** Packages without which nothing can be built, checked or run. */
const TOOLS = [
  "@biomejs/cli-",
  "@napi-rs/keyring-",
  "@oxc-parser/binding-",
  "@oxlint/binding-",
  "@oxlint-tsgolint/",
  "@rolldown/binding-",
  "@typescript/typescript-",
  "lightningcss-",
];

/** Creates a folder that looks like this repository to npm. */
async function copyManifests(): Promise<string> {
  const folder = await temporaryFolder();
  const { stdout } = await promisify(execFile)("git", ["ls-files", "package.json", "*/package.json"], { cwd: root });
  for (const file of [".npmrc", "package-lock.json", ...stdout.trim().split("\n")]) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(root, file), join(folder, file));
  }
  return folder;
}

/** Returns the first bytes of every file in a folder and its subfolders, in hexadecimal. */
async function beginnings(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    files.map(async (file) => {
      const handle = await open(file);
      try {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
        return buffer.subarray(0, bytesRead).toString("hex");
      } finally {
        await handle.close();
      }
    }),
  );
}
