import { spawn } from "node:child_process";
import process from "node:process";
import { createGroupWatchdog } from "./process-group-watchdog.ts";

type Watched = "in-use" | "stopped";

const groups = new Map<number, Watched>();
const watchdog = createGroupWatchdog();

/** Signals a server and everything it started. False when nothing is left to signal. */
export function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  if (process.platform === "win32") {
    // Windows has no groups and no soft signal for console programs: the tree is ended at once.
    spawn("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true }).on("error", () => {});
    return true;
  }
  return kill(-pid, signal);
}

/** Whether anything of a group is left; what ended without being collected by its parent counts. */
export function isGroupLeft(pid: number): boolean {
  return process.platform !== "win32" && kill(-pid, 0);
}

/** To be called before a group is started, so that it is watched over from its first moment. */
export function expectGroup(): void {
  watchdog.wake();
  for (const [pid, watched] of groups) if (watched === "stopped") releaseGroup(pid);
}

/** Groups that are registered when this process ends are killed with it, whatever ends it. */
export function registerGroup(pid: number): void {
  watchdog.add(pid);
  if (groups.size === 0) process.on("exit", killAll);
  groups.set(pid, "in-use");
}

/**
 * For a group that was stopped. It is forgotten once it is empty: its number may be given to strangers from then on,
 * and to nobody before.
 */
export function releaseGroup(pid: number): void {
  if (isGroupLeft(pid)) {
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
