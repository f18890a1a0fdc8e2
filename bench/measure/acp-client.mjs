// @ts-check
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";

/**
 * An agent as an editor starts it.
 *
 * @typedef {object} AgentProgram
 * @property {string} name
 * @property {string} command
 * @property {readonly string[]} args
 * @property {NodeJS.ProcessEnv} env
 * @property {string} cwd
 * @property {string} [authenticate] the method to sign in with before a session
 */

/**
 * @typedef {object} AgentUnderTest
 * @property {(method: string, params: object) => Promise<any>} request rejects when the agent answers with an error or ends
 * @property {() => number} cpuMs of the agent and all it started, until now
 * @property {() => number} updates how many session updates came so far
 * @property {() => Promise<void>} stop
 */

/**
 * @param {AgentProgram} program
 * @returns {AgentUnderTest}
 */
export function startAgent({ command, args, env, cwd }) {
  comeFirst();
  const child = spawn(command, args, { env, cwd, stdio: ["pipe", "pipe", "ignore"], detached: true });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_NORMAL);
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  let lastId = 0;
  let rest = "";
  let updates = 0;
  child.stdin.on("error", () => undefined);
  child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.includes('"session/update"')) {
        updates += 1;
        continue;
      }
      take(line);
    }
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  void ended.then(() => rejectAll(new Error(`${command} ended`)));
  child.once("error", rejectAll);

  /** @param {Error} error */
  function rejectAll(error) {
    for (const { reject } of waiting.values()) reject(error);
  }

  /** @param {string} line */
  function take(line) {
    if (!line.startsWith("{")) return;
    const { id, method, result, error } = JSON.parse(line);
    const asked = method === undefined ? waiting.get(id) : undefined;
    if (error !== undefined) asked?.reject(new Error(JSON.stringify(error)));
    else asked?.resolve(result);
  }

  return {
    updates: () => updates,
    cpuMs: () => cpuOfTree(child.pid ?? 0),
    request(method, params) {
      lastId += 1;
      const id = lastId;
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    async stop() {
      child.stdin.end();
      const late = setTimeout(() => killGroup(child.pid ?? 0), 3_000);
      await ended;
      clearTimeout(late);
      killGroup(child.pid ?? 0);
    },
  };
}

/**
 * An agent goes on working behind its answer. Who reads its account must be there when the answer comes, however busy the
 * machine is; where that is not allowed, the account is too high rather than too low.
 */
function comeFirst() {
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST);
  } catch {
    // Only an administrator may.
  }
}

/** @param {number} pid */
function killGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody is left, as it should be.
  }
}

/**
 * From the scheduler's own account, in which a process is counted to the nanosecond and not by hundredths of a second.
 *
 * @param {number} pid
 * @returns {number} milliseconds
 */
function cpuOfTree(pid) {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const own = tasks.map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]));
    const children = tasks.flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" "));
    const below = children.filter((child) => child.trim() !== "").map((child) => cpuOfTree(Number(child)));
    return own.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6 + below.reduce((sum, ms) => sum + ms, 0);
  } catch {
    // It ended meanwhile.
    return 0;
  }
}
