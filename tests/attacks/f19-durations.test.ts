import { join } from "node:path";
import { expect, it } from "vitest";
import { callRecords } from "../support/call-records.ts";
import { until } from "../support/processes.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { DAY_MS, shiftedClock } from "../support/shifted-clock.ts";
import { fixtureServer, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

it("F19: how long a call took is measured, whatever the clock is set to while it runs", async () => {
  const clock = await shiftedClock();
  const config = await toolboxFile({ servers: { office: fixtureServer("gauge") } });
  const data = join(await temporaryFolder(), "data");
  const env = { TACKLEBOX_DATA: data, ...clock.env };
  const program = await startProgram(["call", "--stdin", "--config", config], { env });
  for (const [line, days] of [-20, 20].entries()) {
    program.write(`${JSON.stringify({ id: line, server: "office", tool: "slow", arguments: { ms: 3_000 } })}\n`);
    const running = async () => (await callRecords(data, "--status", "running")).length === 1;
    await until(running, { describe: "the call to run" });
    clock.shift(days * DAY_MS);
    await program.waitForStdout((text) => text.startsWith(`{"id":${line},`));
  }
  program.endStdin();
  expect((await program.exit).code).toBe(0);

  const [ahead, back] = await callRecords(data);
  // The clock did jump while these calls ran.
  expect(Date.parse(String(ahead?.completed_at)) - Date.parse(String(ahead?.started_at))).toBeGreaterThan(DAY_MS);
  expect(Date.parse(String(back?.completed_at)) - Date.parse(String(back?.started_at))).toBeLessThan(-DAY_MS);
  const { stdout } = await runProgram(["calls"], { env: { TACKLEBOX_DATA: data } });
  const took = stdout.split("\n").flatMap((line) => / (-?[\d.]+) s\b/.exec(line)?.[1] ?? []);
  expect(took.filter((seconds) => Number(seconds) < 0 || Number(seconds) > 3_600)).toEqual([]);
  expect(took.map(Number)).toEqual([Number(ahead?.ran_ms) / 1000, Number(back?.ran_ms) / 1000]);
});
