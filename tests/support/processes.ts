import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

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
    await pause(20);
  }
}

function isTruthy<T>(value: T): value is Truthy<T> & T {
  return Boolean(value);
}

/** The ids of a process's direct children that are still running, from /proc. */
export function childrenOf(pid: number): readonly number[] {
  return runningProcesses().filter((candidate) => statOf(candidate)?.parent === pid);
}

/** Children, their children and so on. */
export function descendantsOf(pid: number): readonly number[] {
  const parents = new Map(runningProcesses().map((candidate) => [candidate, statOf(candidate)?.parent]));
  const found = [pid];
  // The array grows while it is walked: every process found is asked for its own children too.
  for (const ancestor of found) {
    for (const [candidate, parent] of parents) if (parent === ancestor) found.push(candidate);
  }
  return found.slice(1);
}

/** The ids of running processes that carry the marker in an argument or in their environment. This process is not among them. */
export function processesWithMarker(marker: string): readonly number[] {
  return runningProcesses().filter(
    (pid) => pid !== process.pid && (read(pid, "cmdline").includes(marker) || read(pid, "environ").includes(marker)),
  );
}

/** Running: a process that has exited but was not yet collected by its parent (a zombie) does not count. */
export function isRunning(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== "Z" && stat.state !== "X";
}

function runningProcesses(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(isRunning);
}

function statOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  // The command name is in parentheses and may itself contain any character, so fields count from the last one.
  const text = read(pid, "stat");
  const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return state === undefined || parent === undefined ? undefined : { state, parent: Number(parent) };
}

/** Empty when the process is gone or is not ours to look at. */
function read(pid: number, file: "stat" | "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
