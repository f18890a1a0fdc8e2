import { existsSync, readdirSync, readFileSync } from "node:fs";
import { eventually } from "./eventually.ts";

/**
 * Whether a process is running. Zombies, as left behind in containers, do not count, nor do processes with a pending
 * SIGKILL, as found on busy machines.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (!existsSync("/proc/self/stat")) return true;
  return !["Z", "X", undefined].includes(statOf(pid)?.state) && !isKilled(pid);
}

/** Whether SIGKILL, signal 9, is pending for the process or its first thread. */
function isKilled(pid: number): boolean {
  const waiting = [...read(pid, "status").matchAll(/^(?:SigPnd|ShdPnd):\s+([\da-f]+)$/gm)];
  return waiting.some(([, mask = "0"]) => (BigInt(`0x${mask}`) & (1n << 8n)) !== 0n);
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
  const text = read(pid, "stat");
  if (text === "") return undefined;
  // The name is in parentheses and may contain any character.
  const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { name: text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")), state, parent: Number(parent) };
}

/** Empty if the process is gone. */
function read(pid: number, file: "stat" | "status"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
