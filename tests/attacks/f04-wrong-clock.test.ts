import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callRecords } from "../support/call-records.ts";
import { startProgram } from "../support/program.ts";
import { DAY_MS, shiftedClock } from "../support/shifted-clock.ts";
import { fixtureServer, logLines, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const TWO_YEARS_MS = 730 * DAY_MS;

async function setUp() {
  const clock = await shiftedClock();
  const config = await toolboxFile({ servers: { office: fixtureServer("gauge") } });
  const data = join(await temporaryFolder(), "data");
  const env = { TACKLEBOX_DATA: data, ...clock.env };
  return {
    clock,
    /** Starts the program, makes so many calls and ends it; returns what it logged about clocks and removed calls. */
    async run(calls: number): Promise<readonly string[]> {
      const program = await startProgram(["call", "--stdin", "--config", config], { env });
      for (let line = 1; line <= calls; line += 1) {
        program.write(`${JSON.stringify({ id: line, server: "office", tool: "slow", arguments: { ms: 1 } })}\n`);
        await program.waitForStdout((text) => text.startsWith(`{"id":${line},`));
      }
      program.endStdin();
      const { code, stderr } = await program.exit;
      expect(code).toBe(0);
      return logLines(stderr).filter((line) => /clock|removed/.test(line));
    },
    left: async () => (await callRecords(data, "--limit", "1000")).length,
  };
}

describe("F4: a wrong clock", () => {
  it("F4: one start two years ahead removes no call from the log, nor do the starts after it, and each says so", async () => {
    const { clock, run, left } = await setUp();
    await run(20);
    clock.shift(TWO_YEARS_MS);
    expect(await run(1)).toEqual([expect.stringMatching(/^warn This computer's clock says .* more than a year after/)]);
    expect(await left()).toBe(21);
    expect(await run(1)).toEqual([expect.stringMatching(/^warn This computer's clock says .* more than a year after/)]);
    expect(await left()).toBe(22);
    clock.shift(0);
    expect(await run(1)).toEqual([
      expect.stringMatching(/^warn The newest call in the call log is dated .*, but this computer's clock says /),
    ]);
    expect(await run(1)).toEqual([]);
    expect(await left()).toBe(24);
  });

  it("F4: calls of three months ago stay until new calls show that time has passed, then go a quarter at a time", async () => {
    const { clock, run, left } = await setUp();
    clock.shift(-130 * DAY_MS);
    await run(8);
    clock.shift(0);
    expect(await run(0)).toEqual([]);
    clock.shift(-23 * DAY_MS);
    await run(4);
    clock.shift(0);
    await run(4);
    expect(await left()).toBe(16);
    expect(await run(1)).toEqual(["info Old calls removed from the call log: 4"]);
    expect(await run(1)).toEqual(["info Old calls removed from the call log: 4"]);
    expect(await run(1)).toEqual([]);
    expect(await left()).toBe(11);
  });
});
