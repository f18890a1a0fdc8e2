import { spawn } from "node:child_process";
import process from "node:process";

const alive = new Set<number>();

/** Signals a server and everything it started. False when nothing is left to signal. */
export function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  if (process.platform === "win32") {
    // Windows has no groups and no soft signal for console programs: the tree is ended at once.
    spawn("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true }).on("error", () => {});
    return true;
  }
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** Servers that are still registered when this process exits are killed with it. */
export function registerGroup(pid: number): void {
  if (alive.size === 0) process.on("exit", killAll);
  alive.add(pid);
}

export function releaseGroup(pid: number): void {
  alive.delete(pid);
  if (alive.size === 0) process.off("exit", killAll);
}

function killAll(): void {
  for (const pid of alive) signalGroup(pid, "SIGKILL");
}
