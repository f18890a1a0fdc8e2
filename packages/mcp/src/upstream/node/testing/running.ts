import { existsSync, readdirSync, readFileSync } from "node:fs";
import { eventually } from "./eventually.ts";

/** A process that ended and was not collected by its parent, as happens in containers, does not run. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !existsSync("/proc/self/stat") || !["Z", "X", undefined].includes(statOf(pid)?.state);
}

export async function untilGone(pids: readonly number[]): Promise<void> {
  await eventually(() => {
    const left = pids.filter(isRunning);
    if (left.length > 0) throw new Error(`still running: ${left.join(", ")}`);
  });
}

/** The running children of a process with the given name, from /proc. */
export function childrenNamed(name: string, parent: number): number[] {
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  return pids.map(Number).filter((pid) => {
    const stat = statOf(pid);
    return stat?.name === name && stat.parent === parent && isRunning(pid);
  });
}

function statOf(pid: number): { name: string; state: string | undefined; parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name is in parentheses and may hold any character.
    const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { name: text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")), state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
