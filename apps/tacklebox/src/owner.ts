import { readFileSync } from "node:fs";

/** When a process began, in a form that only equality is asked of; undefined where it cannot be told. */
export type ReadStart = (pid: number) => string | undefined;

/**
 * Names this process in the call log: `pid:start:nonce`. A pid alone comes back with another process;
 * pid and start together do not. The start is `-` on systems that do not tell it without running a program.
 */
export function createOwner(pid: number, nonce: string, readStart: ReadStart = readProcessStart): string {
  return `${pid}:${readStart(pid) ?? "-"}:${nonce}`;
}

/** Whether the process that an owner string names still runs. What is no owner string of ours counts as dead. */
export function isOwnerAlive(
  owner: string,
  readStart: ReadStart = readProcessStart,
  exists: (pid: number) => boolean = processExists,
): boolean {
  const match = /^(\d{1,10}):([^:]+):/.exec(owner);
  if (!match) return false;
  const pid = Number(match[1]);
  if (pid === 0 || !exists(pid)) return false;
  const start = readStart(pid);
  return match[2] === "-" || start === undefined || start === match[2];
}

/** Field 22 of /proc/PID/stat, in clock ticks since the system booted. */
export function readProcessStart(pid: number): string | undefined {
  try {
    return parseStart(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return undefined;
  }
}

// The second field is the program's name in parentheses and may itself hold spaces and parentheses.
export function parseStart(stat: string): string | undefined {
  const fromThirdField = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fromThirdField[22 - 3];
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and belongs to someone else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
