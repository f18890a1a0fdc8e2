import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import process from "node:process";

/**
 * Reads "+<group>" and "-<group>" lines until its input ends, which happens when our process is gone, for whatever
 * reason. Then it ends the remaining groups: SIGTERM first, then SIGKILL. POSIX `sleep` takes whole seconds only, hence
 * the fallback.
 */
const SCRIPT = `
trap '' HUP INT TERM
groups=
while read -r line; do
  case $line in
    +*) groups="$groups \${line#+}" ;;
    -*)
      left=
      for group in $groups; do [ "$group" = "\${line#-}" ] || left="$left $group"; done
      groups=$left
      ;;
  esac
done
left=
for group in $groups; do kill -s TERM -- "-$group" && left="$left $group"; done
[ -n "$left" ] || exit 0
sleep 0.5 || sleep 1
for group in $left; do kill -s KILL -- "-$group"; done
`;

/** Ends process groups after this process has died without doing so itself, as it does on SIGKILL. */
export interface GroupWatchdog {
  /** Starts the watchdog if it is not running. Call it before starting a group, so that `add` takes effect at once. */
  start(): void;
  add(pid: number): void;
  remove(pid: number): void;
}

/**
 * Does nothing on Windows, which has neither groups nor a dependable shell: servers there notice their pipes closing.
 */
export function createGroupWatchdog(shell = "/bin/sh"): GroupWatchdog {
  const watched = new Set<number>();
  let input: Socket | undefined;

  function start(): void {
    if (input !== undefined || process.platform === "win32") return;
    const started = startShell(shell);
    input = started?.input;
    // If it was killed, the servers still need one. A shell that exits by itself would only do so again.
    started?.child.once("exit", (_code, signal) => {
      input = undefined;
      if (signal !== null && watched.size > 0) start();
    });
    for (const pid of watched) input?.write(`+${pid}\n`);
  }

  return {
    start,
    add(pid) {
      watched.add(pid);
      // This write is synchronous: a pipe that is not full takes the few bytes within the call.
      input?.write(`+${pid}\n`);
    },
    remove(pid) {
      if (watched.delete(pid)) input?.write(`-${pid}\n`);
    },
  };
}

/** Undefined if there is no such shell; servers then run without a watchdog. */
function startShell(shell: string): { child: ChildProcess; input: Socket } | undefined {
  let child: ChildProcess;
  try {
    child = spawn(shell, ["-c", SCRIPT], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
      // In its own session: what ends ours, such as Ctrl-C, must not end the watchdog first.
      detached: true,
    });
  } catch {
    return undefined;
  }
  const { pid, stdin } = child;
  child.on("error", () => {});
  stdin?.on("error", () => {});
  if (pid === undefined || !(stdin instanceof Socket)) return undefined;
  child.unref();
  stdin.unref();
  return { child, input: stdin };
}
