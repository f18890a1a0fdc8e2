import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

export interface UntilOptions {
  /** Completes the error message "waited … for". */
  readonly describe: string;
  /** A limit for a test that has already failed; never the thing being measured. */
  readonly withinMs?: number;
}

type Truthy<T> = Exclude<T, undefined | null | false | 0 | "">;

/** Polls until the condition returns something truthy, and returns that. */
export async function until<T>(condition: () => T | Promise<T>, options: UntilOptions): Promise<Truthy<T>> {
  const withinMs = options.withinMs ?? 60_000;
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await condition();
    if (isTruthy(value)) return value;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms for ${options.describe}, in vain`);
    await delay(20);
  }
}

function isTruthy<T>(value: T): value is Truthy<T> & T {
  return Boolean(value);
}

/** Returns the ids of a process's running direct children, from /proc. */
export function childrenOf(pid: number): readonly number[] {
  return processIds().filter((candidate) => statOf(candidate)?.parent === pid && isRunning(candidate));
}

/** Returns the ids of a process's running children, their children and so on. */
export function descendantsOf(pid: number): readonly number[] {
  const parents = new Map(processIds().map((candidate) => [candidate, statOf(candidate)?.parent]));
  const found = [pid];
  // The array grows while it is iterated, so that the children of every process found are included.
  for (const ancestor of found) {
    for (const [candidate, parent] of parents) if (parent === ancestor) found.push(candidate);
  }
  return found.slice(1).filter(isRunning);
}

/** Returns the ids of running processes, except this one, that have the marker in an argument or their environment. */
export function processesWithMarker(marker: string): readonly number[] {
  const hasMarker = (pid: number) => read(pid, "cmdline").includes(marker) || read(pid, "environ").includes(marker);
  return processIds().filter((pid) => pid !== process.pid && hasMarker(pid) && isRunning(pid));
}

/**
 * Counts neither zombies, which have exited but were not yet reaped by their parent, nor processes that are exiting or
 * were sent SIGKILL: those no longer run, but stay listed for a while on a busy machine.
 */
export function isRunning(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== "Z" && stat.state !== "X" && !stat.isExiting && !isKilled(pid);
}

/** Kills a process; one that has already ended is fine. */
export function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    return;
  }
}

function processIds(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

interface Stat {
  readonly state: string;
  readonly parent: number;
  readonly isExiting: boolean;
}

/** The kernel's process flag PF_EXITING. */
const EXITING = 0x4;

function statOf(pid: number): Stat | undefined {
  // The command name is in parentheses and may itself contain any character, so fields count from the last parenthesis.
  const text = read(pid, "stat");
  const [state, parent, , , , , flags] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (state === undefined || parent === undefined) return undefined;
  return { state, parent: Number(parent), isExiting: (Number(flags) & EXITING) !== 0 };
}

/** Whether SIGKILL, the ninth signal, is pending for the process or already for its main thread. */
function isKilled(pid: number): boolean {
  const waiting = [...read(pid, "status").matchAll(/^(?:SigPnd|ShdPnd):\s+([\da-f]+)$/gm)];
  return waiting.some(([, mask = "0"]) => (BigInt(`0x${mask}`) & (1n << 8n)) !== 0n);
}

/** Returns an empty text when the process is gone or we may not read the file. */
function read(pid: number, file: "stat" | "status" | "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
