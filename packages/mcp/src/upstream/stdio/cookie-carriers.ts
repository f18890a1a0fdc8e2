import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";

/**
 * Set in the environment of every server process, to a value of its own. Whatever the server starts inherits it, so that
 * it can be found even after it has left the server's process group (setsid).
 */
export const COOKIE_VARIABLE = "TACKLEBOX_COOKIE";

/** Gives every server process its cookie. */
export interface ServerCookies {
  /** Returns the cookie of a server that is about to be started. */
  next(): string;
  /** Must be called when a server and its process group have ended, to end what they left behind. */
  ended(cookie: string): void;
}

/** Killed processes are gone soon after. */
const KILL_AFTER_MS = 500;
const DEATH_MS = 500;
const POLL_MS = 20;

/**
 * Ends every process that carries a cookie for which `isOurs` is true: SIGTERM first, then SIGKILL. A process without
 * one is never touched. Does nothing where the environment of processes cannot be read, which is everywhere but Linux.
 */
export async function endCarriers(isOurs: (cookie: string) => boolean): Promise<void> {
  const asked = signalCarriers(isOurs, "SIGTERM");
  if (asked === 0 || (await goneWithin(KILL_AFTER_MS, isOurs))) return;
  signalCarriers(isOurs, "SIGKILL");
  await goneWithin(DEATH_MS, isOurs);
}

/** Polls, because there is no event for the end of processes that are not our children. */
async function goneWithin(ms: number, isOurs: (cookie: string) => boolean): Promise<boolean> {
  for (let waited = 0; waited < ms; waited += POLL_MS) {
    await wait(POLL_MS);
    if (findCarriers(isOurs).length === 0) return true;
  }
  return false;
}

/** Returns how many there were. */
function signalCarriers(isOurs: (cookie: string) => boolean, signal: "SIGTERM" | "SIGKILL"): number {
  const carriers = findCarriers(isOurs);
  for (const pid of carriers) {
    try {
      // Read again: in the meantime the process may have ended and its id been given to another.
      if (isOurs(cookieOf(pid) ?? "")) process.kill(pid, signal);
    } catch {
      // It has ended, or it changed its user and we may not signal it.
    }
  }
  return carriers.length;
}

function findCarriers(isOurs: (cookie: string) => boolean): readonly number[] {
  if (process.platform !== "linux") return [];
  const ids = readOr([], () => readdirSync("/proc")).filter((name) => /^\d+$/.test(name));
  return ids.map(Number).filter((pid) => pid !== process.pid && isOurs(cookieOf(pid) ?? ""));
}

/** Undefined for a process that carries none, that has ended, or that belongs to somebody else. */
function cookieOf(pid: number): string | undefined {
  const environment = readOr("", () => readFileSync(`/proc/${pid}/environ`, "latin1"));
  const at = `\0${environment}`.indexOf(`\0${COOKIE_VARIABLE}=`);
  if (at === -1) return undefined;
  const [cookie] = environment.slice(at + COOKIE_VARIABLE.length + 1).split("\0", 1);
  return cookie;
}

function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
