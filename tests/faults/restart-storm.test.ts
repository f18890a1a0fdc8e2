import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect } from "vitest";
import { until } from "../support/processes.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { fault } from "./fault.ts";
import { startFaultProgram } from "./fault-program.ts";

const SERVERS = 50;
const MAX_STARTS = 5;
const WATCHED_MS = 15_000;

describe("a restart storm", () => {
  fault(
    {
      id: "restart-storm",
      fault: "50 servers that exit as soon as they start, called again and again",
      promised: "no more than 5 starts of each in the 15 s watched; others answer all the while",
    },
    async (seen) => {
      const log = join(await temporaryFolder(), "starts");
      const names = Array.from({ length: SERVERS }, (_, n) => `dying${n}`);
      const dying = (name: string) => ({ command: "sh", args: ["-c", `echo ${name} >> ${log}; exit 1`] });
      const program = await startFaultProgram({
        servers: Object.fromEntries(names.map((name) => [name, dying(name)])),
      });
      await program.steady();
      const started = performance.now();
      let calls = 0;
      await until(
        async () => {
          await Promise.all([...names.map((name) => program.call(name, "ping")), program.steady()]);
          calls += SERVERS;
          // Often enough to notice every start that is allowed; more would only fill the log.
          await delay(100);
          return performance.now() - started > WATCHED_MS;
        },
        { describe: "the watched time to pass", withinMs: 120_000 },
      );
      const starts = new Map<string, number>();
      for (const name of readFileSync(log, "utf8").trim().split("\n")) starts.set(name, (starts.get(name) ?? 0) + 1);
      expect(starts.size).toBe(SERVERS);
      const most = Math.max(...starts.values());
      expect(most).toBeLessThanOrEqual(MAX_STARTS);
      await program.end();
      seen(`at most ${most} starts of each during ${calls} calls`);
    },
  );
});
