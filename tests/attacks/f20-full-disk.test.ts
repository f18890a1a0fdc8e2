import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createFilledLog } from "../support/filled-log.ts";
import { builtProgram } from "../support/program.ts";

describe("F20: on a disk that takes nothing more, `calls` reads the log", () => {
  it.each([
    ["that a killed process left", false],
    ["even if the file that processes share has to be made", true],
  ])("%s", async (_, isShmGone) => {
    const log = await createFilledLog(2);
    await log.callAndKill();
    if (isShmGone) rmSync(`${log.file}-shm`);
    const program = process.env.TACKLEBOX_PROGRAM ?? builtProgram;
    // No file may grow beyond 512 bytes.
    const script = 'ulimit -f 1 && exec "$0" "$@"';
    for (const [command, found] of [
      ["calls", "ledger"],
      ["calls verify", "3 calls verified"],
      ["grants list", "No grants"],
    ] as const) {
      const { status, stdout } = spawnSync("sh", ["-c", script, process.execPath, program, ...command.split(" ")], {
        env: { PATH: process.env.PATH ?? "", HOME: log.data, TACKLEBOX_DATA: log.data },
        encoding: "utf8",
      });
      expect([command, status, stdout]).toEqual([command, 0, expect.stringMatching(new RegExp(found, "i"))]);
    }
  });
});
