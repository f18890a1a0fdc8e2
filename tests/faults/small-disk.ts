import { execFileSync, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FaultConfig, FaultProgram } from "./fault-program.ts";
import { startLimited } from "./start-limited.ts";

export interface SmallDisk {
  /** How the disk is made small on this machine. */
  readonly kind: "a tmpfs of 4 MB" | "a limit on file sizes";
  readonly program: FaultProgram;
  /** Fills the disk: from now on, or a few calls later, nothing can be written. */
  fill(): void;
  makeRoom(): void;
}

/**
 * Starts the program with a data folder that can run full: its own file system if permitted, else a file size limit.
 */
export async function startOnSmallDisk(config: FaultConfig): Promise<SmallDisk> {
  const own = ["unshare", "--map-root-user", "--mount"] as const;
  const mayMount = spawnSync(own[0], [...own.slice(1), "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
  return mayMount ? startOnTmpfs(config, own) : startWithFileLimit(config);
}

async function startOnTmpfs(config: FaultConfig, own: readonly string[]): Promise<SmallDisk> {
  const mount = 'mkdir -p "$DATA" && chmod 700 "$DATA" && mount -t tmpfs -o size=4m,mode=700 tmpfs "$DATA"';
  const program = await startLimited(mount, config, own);
  // The mount exists only in the program's namespace, which /proc leads to.
  const inside = join(`/proc/${program.running.pid}/root`, program.data);
  const filler = join(inside, "filler");
  return {
    kind: "a tmpfs of 4 MB",
    program,
    fill: () => fillUp(filler),
    makeRoom: () => rmSync(filler),
  };
}

function fillUp(file: string): void {
  for (const size of [64 * 1024, 4 * 1024]) {
    for (let full = false; !full; ) {
      try {
        writeFileSync(file, Buffer.alloc(size), { flag: "a" });
      } catch {
        full = true;
      }
    }
  }
}

async function startWithFileLimit(config: FaultConfig): Promise<SmallDisk> {
  // In units of 512 bytes; a soft limit, so that it can be lifted.
  const program = await startLimited("ulimit -S -f 800", config);
  return {
    kind: "a limit on file sizes",
    program,
    fill: () => undefined,
    makeRoom: () => execFileSync("prlimit", ["--pid", String(program.running.pid), "--fsize=unlimited:"]),
  };
}
