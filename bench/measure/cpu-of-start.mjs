// @ts-check
import { spawnSync } from "node:child_process";
import process from "node:process";

/**
 * Returns milliseconds of user and system time, measured by bash because Node cannot query the usage of an ended child.
 *
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
export function cpuOfStart(args, env) {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" > /dev/null';
  const { status, stderr, error } = spawnSync("bash", ["-c", script, "bash", process.execPath, ...args], {
    env,
    encoding: "utf8",
  });
  if (error !== undefined) throw new Error(`The CPU of a start is measured with bash: ${error.message}`);
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with code ${status}: ${stderr}`);
  const [user, system] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  if (user === undefined || system === undefined) throw new Error(`bash measured no time: ${stderr}`);
  return (user + system) * 1000;
}
