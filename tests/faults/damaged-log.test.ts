import { readdirSync, statSync, truncateSync } from "node:fs";
import { describe, expect } from "vitest";
import { damagePages } from "../support/damage.ts";
import { createFilledLog } from "../support/filled-log.ts";
import { fault } from "./fault.ts";

describe.concurrent("when the call log is damaged", () => {
  fault(
    {
      id: "log-pages",
      fault: "pages of the call log are overwritten",
      promised: "no call is made; damage is named with what to do; a repair keeps the rest and the damaged file",
    },
    async (seen) => {
      const log = await createFilledLog(100);
      damagePages(log.file);
      const args = ["call", "ledger", "fast", "--args", '{"marker":"x"}', "--config", log.config];
      const { code, stderr } = await log.run(...args);
      expect([code, stderr]).toEqual([1, expect.stringContaining("is damaged")]);
      expect(stderr).toContain("tacklebox doctor --repair");
      expect(stderr).not.toContain("internal error");
      expect(await log.run("doctor", "--repair")).toMatchObject({ code: 0 });
      expect(readdirSync(log.data).filter((name) => /\.damaged-[^-]+$/.test(name))).toHaveLength(1);
      await log.call(["goes on"]);
      expect(await log.verify()).toMatchObject({ exit: 0, verified: 1 });
      seen("exit 1 with the command to run; repaired, works again");
    },
  );

  fault(
    {
      id: "log-emptied",
      fault: "the call log is emptied (0 bytes)",
      promised: "damage, not a new log",
    },
    async (seen) => {
      const log = await createFilledLog(2);
      truncateSync(log.file, 0);
      const { code, stderr } = await log.run("calls");
      expect([code, stderr]).toEqual([1, expect.stringContaining("is damaged: it is empty")]);
      expect(statSync(log.file).size).toBe(0);
      seen("exit 1, nothing written");
    },
  );

  fault(
    {
      id: "log-cut-off",
      fault: "the call log is cut off beside a WAL that a killed process left",
      promised: "damage, not a new log; the WAL is not lost",
    },
    async (seen) => {
      const log = await createFilledLog(60);
      await log.callAndKill();
      truncateSync(log.file, 4096);
      const before = statSync(`${log.file}-wal`).size;
      const { code, stderr } = await log.run("calls");
      expect([code, stderr]).toEqual([1, expect.stringContaining("is damaged")]);
      expect(statSync(`${log.file}-wal`).size).toBe(before);
      seen("exit 1, the WAL is as it was");
    },
  );
});
