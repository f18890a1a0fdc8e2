import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import process from "node:process";

/**
 * Reads "+<group>" and "-<group>" until its input ends, which is when the process that holds the other end is gone,
 * however it went. Then it ends the groups that are left, politely first. Fractions of a second are not POSIX.
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

/** Ends process groups when this process can no longer do it itself, as after SIGKILL. */
export interface GroupWatchdog {
  /** Before a group is started, so that no time passes between its start and `add`. */
  wake(): void;
  add(pid: number): void;
  remove(pid: number): void;
}

/** Windows has neither groups nor a shell to rely on: there the pipes that close have to be hint enough. */
export function createGroupWatchdog(shell = "/bin/sh"): GroupWatchdog {
  const watched = new Set<number>();
  let input: Socket | undefined;

  function wake(): void {
    if (input !== undefined || process.platform === "win32") return;
    const started = startShell(shell);
    input = started?.input;
    // Should somebody kill it, the servers still need one. A shell that ends by itself would do so again.
    started?.child.once("exit", (_code, signal) => {
      input = undefined;
      if (signal !== null && watched.size > 0) wake();
    });
    for (const pid of watched) input?.write(`+${pid}\n`);
  }

  return {
    wake,
    add(pid) {
      watched.add(pid);
      // Written at once, not queued: a pipe that is not full takes the few bytes within the call.
      input?.write(`+${pid}\n`);
    },
    remove(pid) {
      if (watched.delete(pid)) input?.write(`-${pid}\n`);
    },
  };
}

/** Nothing when there is no such shell: servers run without a watchdog then. */
function startShell(shell: string): { child: ChildProcess; input: Socket } | undefined {
  let child: ChildProcess;
  try {
    child = spawn(shell, ["-c", SCRIPT], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
      // A session of its own: what ends ours, Ctrl-C among it, must not end the watchdog first.
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
