// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installLocked } from "./install.mjs";
import { root } from "./run.mjs";

/** The Node versions Tacklebox supports. */
export const MAJORS = ["20", "22", "24"];

/**
 * Finds a Node of that major version: the running one, or one from npm, which is installed if missing.
 *
 * @param {string} major
 * @returns {Promise<{ kind: "found", file: string } | { kind: "missing", why: string }>}
 */
export async function findNode(major) {
  if (process.versions.node.split(".")[0] === major) return { kind: "found", file: process.execPath };
  const folder = join(root, "tests/nodes", major);
  const name = `node-${process.platform}-${process.arch}`;
  const { optionalDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (optionalDependencies[name] === undefined)
    return { kind: "missing", why: `npm has no Node ${major} for ${process.platform} ${process.arch}` };
  const why = await installLocked(folder, `Node ${major}`);
  if (why !== undefined) return { kind: "missing", why: `Node ${major} is not installed, and ${why}` };
  const program = process.platform === "win32" ? "node.exe" : "node";
  return { kind: "found", file: join(folder, "node_modules", name, "bin", program) };
}
