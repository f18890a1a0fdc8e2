// @ts-check
import { quantile } from "../report/arithmetic.mjs";
import { cpuBetween, readCpu } from "./tree-cpu.mjs";

/**
 * Makes `echo` calls. `call` resolves to the text the tool returned.
 *
 * @typedef {object} Caller
 * @property {(message: string) => Promise<string>} call
 * @property {() => Promise<unknown>} close
 */

/**
 * @typedef {object} Load
 * @property {number} callers how many call at the same time
 * @property {number} warmUp calls made before anything is measured
 * @property {number} calls made by all callers together
 * @property {number} singles calls made one after another
 */

/**
 * @typedef {object} CallFigures
 * @property {number} treeCpu microseconds per call, of the client and every process below it
 * @property {number} clientCpu microseconds per call, of the client alone
 * @property {number} callsPerSecond
 * @property {number} p50 milliseconds of a call while nothing else is running
 * @property {number} p99
 * @property {number} [commitP50] milliseconds of the `commit` timed after each single call
 */

/**
 * @param {Caller} caller
 * @param {Load} load
 * @param {() => void} [commit] run and timed after each single call, so under the same load and on the same disk
 * @returns {Promise<CallFigures>}
 */
export async function driveCalls(caller, load, commit) {
  const call = async (/** @type {number} */ number) => {
    const text = await caller.call(`hello ${number}`);
    if (!text.endsWith(`hello ${number}`)) throw new Error(`Call ${number} was answered with: ${text}`);
  };
  await runCallers(load.callers, load.warmUp, call);

  const cpuBefore = readCpu();
  const startedAt = performance.now();
  await runCallers(load.callers, load.calls, call);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = cpuBetween(cpuBefore, readCpu());

  const { times, commits } = await timeEach(load.singles, call, commit);
  await caller.close();
  return {
    treeCpu: (cpu.own + cpu.children) / load.calls,
    clientCpu: cpu.own / load.calls,
    callsPerSecond: load.calls / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    ...(commits.length > 0 && { commitP50: quantile(commits, 0.5) }),
  };
}

/**
 * Runs callers that each make their next call when their previous one has been answered.
 *
 * @param {number} callers
 * @param {number} calls
 * @param {(number: number) => Promise<void>} call
 */
export async function runCallers(callers, calls, call) {
  let next = 0;
  const keepCalling = async () => {
    while (next < calls) {
      const number = next;
      next += 1;
      await call(number);
    }
  };
  await Promise.all(Array.from({ length: callers }, keepCalling));
}

/**
 * @param {number} calls
 * @param {(number: number) => Promise<void>} call
 * @param {() => void} [commit]
 */
async function timeEach(calls, call, commit) {
  const times = [];
  const commits = [];
  for (let number = 0; number < calls; number += 1) {
    const startedAt = performance.now();
    await call(number);
    const endedAt = performance.now();
    times.push(endedAt - startedAt);
    if (commit === undefined) continue;
    commit();
    commits.push(performance.now() - endedAt);
  }
  return { times, commits };
}
