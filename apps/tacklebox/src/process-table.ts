import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Member, ProcessTable } from "@tacklebox/core";

/** What the operating system knows about processes. Tests make it up. */
export interface SystemFacts {
  /** Identifies the machine, boot and pid namespace within which a pid names one process. */
  readonly host: string;
  /** When a process started, as an opaque value to compare for equality; undefined where the system does not say. */
  readonly readStart: (pid: number) => string | undefined;
  readonly exists: (pid: number) => boolean;
}

/**
 * Describes a process to the store. Its id, which its calls name as their owner, is `pid:start:nonce`: a pid alone is
 * reused by later processes, pid and start together are not. The start is `-` where the system does not report it.
 */
export function createMember(pid: number, nonce: string, { host, readStart }: SystemFacts): Member {
  const start = readStart(pid);
  return { id: `${pid}:${start ?? "-"}:${nonce}`, host, pid, ...(start !== undefined && { start }) };
}

export function createProcessTable({ host, readStart, exists }: SystemFacts): ProcessTable {
  /** Goes by the pid alone where the start is unknown: taking a live process for dead is worse than the reverse. */
  function isRunning(pid: number, start: string | undefined): boolean {
    if (pid === 0 || !exists(pid)) return false;
    const startNow = readStart(pid);
    return start === undefined || startNow === undefined || start === startNow;
  }

  return {
    look(member) {
      if (member.host !== host) return "elsewhere";
      return isRunning(member.pid, member.start) ? "alive" : "dead";
    },
    // An owner id does not name its host, so it counts as a process of this one. An id of another form counts as dead.
    isOwnerAlive(owner) {
      const match = /^(\d{1,10}):([^:]+):/.exec(owner);
      return match !== null && isRunning(Number(match[1]), match[2] === "-" ? undefined : match[2]);
    },
  };
}

export function readSystemFacts(): SystemFacts {
  return { host: readHost(), readStart: readProcessStart, exists: processExists };
}

/**
 * The host name alone is not enough: containers that share it have pids of their own, and a reboot starts pids afresh.
 * So the boot and the pid namespace are part of it on Linux; other systems report neither.
 */
export function readHost(): string {
  const boot = readOrUndefined(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const namespace = readOrUndefined(() => readlinkSync("/proc/self/ns/pid"));
  return [hostname(), boot, namespace].filter((part) => part !== undefined).join(" ");
}

/** Field 22 of /proc/PID/stat, in clock ticks since the system booted. */
function readProcessStart(pid: number): string | undefined {
  return readOrUndefined(() => parseStart(readFileSync(`/proc/${pid}/stat`, "utf8")));
}

// The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
export function parseStart(stat: string): string | undefined {
  const fromThirdField = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fromThirdField[22 - 3];
}

function readOrUndefined(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
