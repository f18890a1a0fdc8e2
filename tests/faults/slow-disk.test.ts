import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { until } from "../support/processes.ts";
import { buildSlowDisk } from "../support/slow-disk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { fault } from "./fault.ts";
import { startFaultProgram } from "./fault-program.ts";

const folder = mkdtempSync(join(tmpdir(), "tacklebox-slow-disk-"));
const library = buildSlowDisk(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("F13: a slow disk", () => {
  fault(
    {
      id: "slow-fsync",
      fault: "the disk takes long to sync, then hangs",
      promised: "only what waits for the disk waits; everything else is answered, and no call is made or lost",
    },
    async (seen) => {
      const stuck = join(await temporaryFolder(), "stuck");
      const program = await startFaultProgram({
        servers: {},
        env: { LD_PRELOAD: library ?? "", SLOW_DISK_MS: "25", SLOW_DISK_STUCK: stuck },
      });
      // Two slow commits are enough to be taken for a slow disk; a call has two.
      await program.steady();
      await program.steady();

      writeFileSync(stuck, "");
      const waiting = program.call("steady", "ping");
      await until(() => readFileSync(stuck, "utf8") !== "", { describe: "the call to wait for the disk" });
      program.running.write("this is not JSON\n");
      await program.running.waitForStdout((line) => line.includes("not valid JSON"));
      expect(program.running.stdout()).not.toContain('{"id":"line-3"');
      rmSync(stuck);
      expect(await waiting).toMatchObject({ status: "success", text: "pong" });
      await program.end();
      seen("a bad line was answered while a call waited for the disk");
    },
    { unless: library === undefined },
  );
});
