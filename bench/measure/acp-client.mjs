// @ts-check
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";

/**
 * How an editor starts an agent.
 *
 * @typedef {object} AgentProgram
 * @property {string} name
 * @property {string} command
 * @property {readonly string[]} args
 * @property {NodeJS.ProcessEnv} env
 * @property {string} cwd
 * @property {string} [authenticate] id of the method to authenticate with before opening a session
 */

/**
 * @typedef {object} AgentUnderTest
 * @property {(method: string, params: object) => Promise<any>} request rejects when the agent answers with an error or ends
 * @property {() => number} cpuMs CPU time so far of the agent and every process it started
 * @property {() => number} updates number of session updates received so far
 * @property {() => Promise<void>} stop
 */

/**
 * @param {AgentProgram} program
 * @returns {AgentUnderTest}
 */
export function startAgent({ command, args, env, cwd }) {
  raiseOwnPriority();
  const child = spawn(command, args, { env, cwd, stdio: ["pipe", "pipe", "ignore"], detached: true });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_NORMAL);
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  let lastId = 0;
  let partialLine = "";
  let updates = 0;
  child.stdin.on("error", () => undefined);
  child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    const lines = (partialLine + text).split("\n");
    partialLine = lines.pop() ?? "";
    for (const line of lines) {
      if (line.includes('"session/update"')) {
        updates += 1;
        continue;
      }
      receive(line);
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
  function receive(line) {
    if (!line.startsWith("{")) return;
    const { id, method, result, error } = JSON.parse(line);
    const request = method === undefined ? waiting.get(id) : undefined;
    if (error !== undefined) request?.reject(new Error(JSON.stringify(error)));
    else request?.resolve(result);
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
      const killTimer = setTimeout(() => killGroup(child.pid ?? 0), 3_000);
      await ended;
      clearTimeout(killTimer);
      killGroup(child.pid ?? 0);
    },
  };
}

/**
 * An agent keeps working after it has answered, so its CPU time must be read the moment the answer arrives, however
 * busy the machine is. Where raising the priority is not permitted, the figure is too high rather than too low.
 */
function raiseOwnPriority() {
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST);
  } catch {
    // Only an administrator can.
  }
}

/** @param {number} pid */
function killGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The whole group has already ended.
  }
}

/**
 * Reads the scheduler's own statistics, which are in nanoseconds rather than hundredths of a second.
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
    // The process ended in the meantime.
    return 0;
  }
}
