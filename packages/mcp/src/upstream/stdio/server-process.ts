import type { ChildProcess } from "node:child_process";
import { stat } from "node:fs/promises";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { ConnectionError, type StdioLaunch } from "@tacklebox/core";
import spawn from "cross-spawn";
import { isOutOfFiles, OUT_OF_FILES } from "../node/out-of-files.ts";
import { explainCommand } from "./causes/explain-launch.ts";
import { inspectCommand } from "./causes/launch-facts.ts";
import { COOKIE_VARIABLE, type ServerCookies } from "./cookie-carriers.ts";
import { groupExists, prepareForGroup, registerGroup, releaseGroup, signalGroup } from "./process-group.ts";

/** The variables of our own environment that a server inherits, besides those of its definition. */
const INHERITED =
  process.platform === "win32"
    ? [
        "APPDATA",
        "COMSPEC",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATH",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "PROGRAMDATA",
        "PROGRAMFILES",
        "PROGRAMFILES(X86)",
        "PROGRAMW6432",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "USERNAME",
        "USERPROFILE",
        "WINDIR",
      ]
    : ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG"];

/** Both counted from the start of stop(). Killed processes are gone soon after, so that all of it fits into 2 s. */
const TERM_AFTER_MS = 300;
const KILL_AFTER_MS = 1500;
/** How long the server's own children may take to exit once the server itself is gone. */
const STRAGGLERS_MS = 200;
const DEATH_MS = 200;
const POLL_MS = 20;
const DRAIN_MS = 100;

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

export interface ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the process has ended, though some of its output may not have been read yet. */
  readonly exited: Promise<ProcessEnd>;
  /**
   * How the process ended; resolves once its last output was read. A grandchild that holds our pipes does not delay it.
   */
  readonly ended: Promise<ProcessEnd>;
  /** Stops the process and all it started: gracefully, then by force, within 2 s. A second call waits for the first. */
  stop(): Promise<void>;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** What servers get from us besides their own definition. */
export interface ServerHost {
  readonly environment: ProcessEnvironment;
  readonly cookies?: ServerCookies | undefined;
}

/** Starts a server in a process group of its own, without a shell. Rejects with ConnectionError. */
export async function startServer(launch: StdioLaunch, { environment, cookies }: ServerHost): Promise<ServerProcess> {
  const cookie = cookies?.next();
  const child = await spawnServer(launch, environment, cookie).catch(async (error: unknown) => {
    throw await toStartError(error, launch, environment);
  });
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined || stdin === null || stdout === null || stderr === null) {
    throw new ConnectionError("unreachable", `The command "${launch.command}" started without its pipes.`);
  }
  const exited = watchExit(child);
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopGroup(pid, stdin, exited).finally(() => {
      releaseGroup(pid);
      if (cookie !== undefined) cookies?.ended(cookie);
      for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
    });
    return stopping;
  };
  return { pid, stdin, stdout, stderr, exited, ended: untilDrained(child, exited), stop };
}

async function spawnServer(
  launch: StdioLaunch,
  environment: ProcessEnvironment,
  cookie: string | undefined,
): Promise<ChildProcess> {
  prepareForGroup();
  const child = spawn(launch.command, [...launch.args], {
    env: { ...inherited(environment), ...launch.env, ...(cookie !== undefined && { [COOKIE_VARIABLE]: cookie }) },
    ...(launch.cwd === undefined ? {} : { cwd: launch.cwd }),
    stdio: ["pipe", "pipe", "pipe"],
    shell: false,
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  // Registered before "spawn" is emitted: until then, a SIGKILL of our process would orphan the group.
  if (child.pid !== undefined) registerGroup(child.pid);
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  return child;
}

function watchExit(child: ChildProcess): Promise<ProcessEnd> {
  // A late "error" event (a signal that could not be sent) must not crash our own process.
  child.on("error", () => {});
  return new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
}

async function untilDrained(child: ChildProcess, exited: Promise<ProcessEnd>): Promise<ProcessEnd> {
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const end = await exited;
  await settledWithin(closed, DRAIN_MS);
  return end;
}

async function stopGroup(pid: number, stdin: Writable, exited: Promise<unknown>): Promise<void> {
  stdin.end();
  const exitedOnEndOfInput = await settledWithin(exited, TERM_AFTER_MS);
  if (!signalGroup(pid, "SIGTERM")) return;
  const exitedInTime =
    exitedOnEndOfInput || (await settledWithin(exited, KILL_AFTER_MS - TERM_AFTER_MS - STRAGGLERS_MS));
  if (exitedInTime) await groupEmptyWithin(pid, STRAGGLERS_MS);
  if (!signalGroup(pid, "SIGKILL")) return;
  await settledWithin(exited, DEATH_MS);
  await groupEmptyWithin(pid, DEATH_MS);
}

/** Polls, because there is no event for the end of processes that are not our children. */
async function groupEmptyWithin(pid: number, ms: number): Promise<void> {
  for (let waited = 0; waited < ms && groupExists(pid); waited += POLL_MS) await wait(POLL_MS);
}

async function settledWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = wait(ms, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([work.then(() => true), late]);
  timer.abort();
  return inTime;
}

function inherited(environment: ProcessEnvironment): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = environment[name];
    // Exported shell functions look like values but are code.
    if (value !== undefined && !value.startsWith("()")) env[name] = value;
  }
  return env;
}

/** The PATH that a server's command is searched in. */
export function searchedPath({ env }: StdioLaunch, environment: ProcessEnvironment): string {
  return env.PATH ?? environment.PATH ?? "";
}

async function toStartError(
  error: unknown,
  launch: StdioLaunch,
  environment: ProcessEnvironment,
): Promise<ConnectionError> {
  const { command, cwd } = launch;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (cwd !== undefined && !(await isDirectory(cwd))) {
    return new ConnectionError("misconfigured", `The working directory "${cwd}" does not exist.`);
  }
  const fact = await inspectCommand(launch, searchedPath(launch, environment));
  const explained = explainCommand(fact, launch);
  if (explained !== undefined && !isOutOfFiles(code))
    return new ConnectionError("unreachable", explained, { retryable: false });
  if (code === "ENOENT") {
    const text = `The command "${command}" was not found; check its spelling or install it.`;
    return new ConnectionError("unreachable", text, { retryable: false });
  }
  if (code === "EACCES") {
    const text = `The command "${command}" may not be executed; check its permissions.`;
    return new ConnectionError("unreachable", text, { retryable: false });
  }
  const isOurs = isOutOfFiles(code);
  const detail = typeof code === "string" ? ` (${code})` : "";
  const why = isOurs ? `; ${OUT_OF_FILES}` : "";
  return new ConnectionError("unreachable", `The command "${command}" could not be started${detail}${why}.`, {
    cause: error,
    isOurs,
  });
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
