// @ts-check
import { readdirSync, readFileSync } from "node:fs";

/** Linux reports process times in hundredths of a second, whatever the frequency of its own clock. */
const MICROSECONDS_PER_TICK = 10_000;

/**
 * @typedef {object} CpuTime in microseconds, user and system together
 * @property {number} own of this process
 * @property {number} children of every process below it
 */

/** @returns {CpuTime} */
export function readCpu() {
  const { user, system } = process.cpuUsage();
  return { own: user + system, children: cpuBelow(process.pid) };
}

/**
 * @param {CpuTime} before
 * @param {CpuTime} after
 * @returns {CpuTime}
 */
export function cpuBetween(before, after) {
  return { own: after.own - before.own, children: after.children - before.children };
}

/** @param {number} pid */
function cpuBelow(pid) {
  const processes = readProcesses();
  const below = new Set([pid]);
  // A child may be listed before its parent, so this repeats until a pass finds no new process.
  for (let found = -1; found !== below.size; ) {
    found = below.size;
    for (const one of processes) if (below.has(one.parent)) below.add(one.pid);
  }
  return processes.filter((one) => one.pid !== pid && below.has(one.pid)).reduce((sum, one) => sum + one.cpu, 0);
}

function readProcesses() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)));
}

/** @param {number} pid */
function readProcess(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses can contain anything; the fields after it are numbers.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [user, system, userOfEnded, systemOfEnded] = fields.slice(11, 15).map(Number);
    const ticks = (user ?? 0) + (system ?? 0) + (userOfEnded ?? 0) + (systemOfEnded ?? 0);
    return [{ pid, parent: Number(fields[1]), cpu: ticks * MICROSECONDS_PER_TICK }];
  } catch {
    // The process ended in the meantime.
    return [];
  }
}
