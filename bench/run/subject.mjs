// @ts-check
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { bench, hostFile } from "./places.mjs";

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {string} file the module whose `run` is measured
 * @property {Record<string, unknown>} options
 * @property {Record<string, string>} [env] added to the environment of its process
 */

/**
 * Creates a subject that measures our own engine, or a part of it.
 *
 * @param {string} name
 * @param {string} what one of the host's subjects
 * @param {Record<string, unknown>} options
 * @returns {Subject}
 */
export function ours(name, what, options) {
  return { name, file: hostFile, options: { what, ...options } };
}

/**
 * @param {string} name
 * @param {string} file in bench/subjects
 * @param {Record<string, unknown>} options
 * @returns {Subject}
 */
export function other(name, file, options) {
  return { name, file: join(bench, "subjects", file), options };
}

/**
 * Runs a subject in a process of its own and returns its figures. Rejects with the end of the subject's stderr.
 *
 * @param {Subject} subject
 * @param {{ profile: boolean }} settings
 * @returns {Promise<Record<string, number>>}
 */
export function measure({ name, file, options, env }, { profile }) {
  const profiles = join(bench, "dist/profiles");
  if (profile) mkdirSync(profiles, { recursive: true });
  const profiling = profile
    ? [
        "--cpu-prof",
        `--cpu-prof-dir=${profiles}`,
        `--cpu-prof-name=${name.replaceAll(" ", "-")}-${Date.now()}.cpuprofile`,
      ]
    : [];
  const child = spawn(
    process.execPath,
    ["--expose-gc", ...profiling, join(bench, "run/run-subject.mjs"), file, JSON.stringify(options)],
    // Otherwise the SDK prints thousands of warnings, which would count as its work.
    { cwd: bench, env: { ...process.env, NODE_NO_WARNINGS: "1", ...env }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors = (errors + text).slice(-4_000);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      const line = output.trimEnd().split("\n").at(-1) ?? "";
      if (code === 0 && line.startsWith("{")) resolve(JSON.parse(line));
      else
        reject(new Error(`${name} did not finish (code ${code}): ${errors.trim().split("\n").slice(-12).join("\n")}`));
    });
  });
}
