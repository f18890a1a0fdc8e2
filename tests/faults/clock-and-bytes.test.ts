import { describe, expect } from "vitest";
import { callRecords } from "../support/call-records.ts";
import { runProgram } from "../support/program.ts";
import { DAY_MS, shiftedClock } from "../support/shifted-clock.ts";
import { fault } from "./fault.ts";
import { faultServer, startFaultProgram } from "./fault-program.ts";
import { growthDuring } from "./memory.ts";

const MB = 1024 * 1024;

describe("time and bytes", () => {
  fault(
    {
      id: "clock-jumps",
      fault: "the clock is set two years ahead while calls run, then back to 1970, then right",
      promised: "all calls succeed, no call is lost from the log, no duration is taken from the clock; the log says so",
    },
    async (seen) => {
      const clock = await shiftedClock();
      const program = await startFaultProgram({ servers: { late: faultServer("tools") }, env: clock.env });
      const call = () => program.call("late", "late", { ms: 200 });
      const shifts = [0, 730 * DAY_MS, 1_000 - Date.now(), 0];
      for (const shift of shifts) {
        const calling = call();
        clock.shift(shift);
        expect(await calling).toMatchObject({ status: "success" });
        await program.steady();
      }
      await program.end();
      const warnings: string[] = [];
      for (const shift of shifts) {
        clock.shift(shift);
        const started = await runProgram(["call", "steady", "ping", "--config", program.config], {
          env: { TACKLEBOX_DATA: program.data, ...clock.env },
        });
        expect(started.code).toBe(0);
        warnings.push(started.stderr);
      }
      const records = await callRecords(program.data, "--limit", "100");
      expect(records).toHaveLength(12);
      expect(records.filter(({ ran_ms: ran }) => !(Number(ran) >= 0 && Number(ran) < 3_600_000))).toEqual([]);
      expect(warnings.filter((text) => /clock says/.test(text)).length).toBeGreaterThanOrEqual(2);
      seen("12 of 12 calls in the log, durations as measured, warnings about the clock");
    },
  );

  fault(
    {
      id: "results-beyond-budget",
      fault: "eight servers answer with 8 MB each at once, twice what fits in memory",
      promised: "the results wait for each other, all calls succeed, others go on meanwhile, memory stays bounded",
    },
    async (seen) => {
      const names = Array.from({ length: 8 }, (_, index) => `big-${index}`);
      const program = await startFaultProgram({
        servers: Object.fromEntries(names.map((name) => [name, faultServer("tools")])),
      });
      await program.steady();
      const growth = await growthDuring(program.running.pid, async () => {
        const calls = names.map((name) => program.call(name, "big", { bytes: 8 * MB }));
        const [outcomes] = await Promise.all([Promise.all(calls), program.steady(), program.steady()]);
        expect(outcomes.map(({ status, text }) => [status, text.length])).toEqual(Array(8).fill(["success", 8 * MB]));
      });
      expect(growth).toBeLessThan(700 * MB);
      const records = await callRecords(program.data, "--limit", "100");
      const kept = records.filter(({ tool }) => tool === "big").map(({ result }) => JSON.stringify(result).length);
      expect(kept.filter((bytes) => bytes > 256 * 1024)).toEqual([]);
      await program.end();
      seen(`8 succeeded, +${Math.round(growth / MB)} MB, at most 256 KB of each kept`);
    },
  );
});
