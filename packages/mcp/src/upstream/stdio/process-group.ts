import { spawn } from "node:child_process";
import process from "node:process";
import { createGroupWatchdog } from "./process-group-watchdog.ts";

type Watched = "in-use" | "stopped";

const groups = new Map<number, Watched>();
const watchdog = createGroupWatchdog();

/** Signals a server and everything it started. Returns false if nothing is left to signal. */
export function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  if (process.platform === "win32") {
    // Windows has no process groups and no soft signal for console programs, so the tree is killed at once.
    spawn("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true }).on("error", () => {});
    return true;
  }
  return kill(-pid, signal);
}

/** Whether a group still has processes, zombies included. Always false on Windows. */
export function groupExists(pid: number): boolean {
  return process.platform !== "win32" && kill(-pid, 0);
}

/** Must be called before a group is started, so that it is watched from its first moment. */
export function prepareForGroup(): void {
  watchdog.start();
  for (const [pid, watched] of groups) if (watched === "stopped") releaseGroup(pid);
}

/** Registers a group to be killed when this process ends, for whatever reason. */
export function registerGroup(pid: number): void {
  watchdog.add(pid);
  if (groups.size === 0) process.on("exit", killAll);
  groups.set(pid, "in-use");
}

/**
 * Unregisters a stopped group once it is empty. Its id cannot be reused for an unrelated process before that, and may
 * be afterwards.
 */
export function releaseGroup(pid: number): void {
  if (groupExists(pid)) {
    groups.set(pid, "stopped");
    return;
  }
  watchdog.remove(pid);
  groups.delete(pid);
  if (groups.size === 0) process.off("exit", killAll);
}

function killAll(): void {
  for (const pid of groups.keys()) signalGroup(pid, "SIGKILL");
}

function kill(pid: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
