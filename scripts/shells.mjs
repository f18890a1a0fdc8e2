// @ts-check
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { say } from "./run.mjs";

const SHELLS = ["fish", "zsh"];
const LIMIT_MS = 90_000;

/**
 * Completion is tried in real shells. On Debian as root those that are not there are installed, if that can be done;
 * elsewhere their tests are told as not run.
 */
export async function ensureShells() {
  const missing = SHELLS.filter((shell) => !isThere(shell));
  if (missing.length === 0 || !existsSync("/etc/debian_version") || process.getuid?.() !== 0) return;
  say(`Installing ${missing.join(", ")} (once, for the tests of completion) ...`);
  const install = () => aptGet("install", "--yes", "--no-install-recommends", ...missing);
  if (!(await install()) && (await aptGet("update"))) await install();
}

/** @param {string} program */
function isThere(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** @param {readonly string[]} args */
async function aptGet(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return promisify(execFile)("apt-get", args, { env, timeout: LIMIT_MS }).then(
    () => true,
    () => false,
  );
}
