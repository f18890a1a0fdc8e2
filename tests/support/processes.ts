import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

export interface UntilOptions {
  /** Completes "waited … for". */
  readonly describe: string;
  /** Only bounds a test that has already failed; never the thing being measured. */
  readonly withinMs?: number;
}

type Truthy<T> = Exclude<T, undefined | null | false | 0 | "">;

/** Polls until the condition gives something truthy, and returns that. */
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

/** The ids of a process's direct children that are still running, from /proc. */
export function childrenOf(pid: number): readonly number[] {
  return processIds().filter((candidate) => statOf(candidate)?.parent === pid && isRunning(candidate));
}

/** Children, their children and so on. */
export function descendantsOf(pid: number): readonly number[] {
  const parents = new Map(processIds().map((candidate) => [candidate, statOf(candidate)?.parent]));
  const found = [pid];
  // The array grows while it is walked: every process found is asked for its own children too.
  for (const ancestor of found) {
    for (const [candidate, parent] of parents) if (parent === ancestor) found.push(candidate);
  }
  return found.slice(1).filter(isRunning);
}

/** The ids of running processes that carry the marker in an argument or in their environment. This process is not among them. */
export function processesWithMarker(marker: string): readonly number[] {
  const carries = (pid: number) => read(pid, "cmdline").includes(marker) || read(pid, "environ").includes(marker);
  return processIds().filter((pid) => pid !== process.pid && carries(pid) && isRunning(pid));
}

/**
 * Running: neither a process that has exited but was not yet collected by its parent (a zombie) counts, nor one that is
 * exiting or was sent SIGKILL: it runs no more, but on a busy machine it is on the list of processes for a while.
 */
export function isRunning(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== "Z" && stat.state !== "X" && !stat.isExiting && !isKilled(pid);
}

/** Nobody left to kill is what was wanted. */
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

/** PF_EXITING of the kernel's flags of a process. */
const EXITING = 0x4;

function statOf(pid: number): Stat | undefined {
  // The command name is in parentheses and may itself contain any character, so fields count from the last one.
  const text = read(pid, "stat");
  const [state, parent, , , , , flags] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (state === undefined || parent === undefined) return undefined;
  return { state, parent: Number(parent), isExiting: (Number(flags) & EXITING) !== 0 };
}

/** Whether SIGKILL, the ninth signal, waits for it, be it sent to the process or already handed to its first thread. */
function isKilled(pid: number): boolean {
  const waiting = [...read(pid, "status").matchAll(/^(?:SigPnd|ShdPnd):\s+([\da-f]+)$/gm)];
  return waiting.some(([, mask = "0"]) => (BigInt(`0x${mask}`) & (1n << 8n)) !== 0n);
}

/** Empty when the process is gone or is not ours to look at. */
function read(pid: number, file: "stat" | "status" | "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
