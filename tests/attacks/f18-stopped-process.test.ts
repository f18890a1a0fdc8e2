import { join } from "node:path";
import { describe, expect } from "vitest";
import { type FaultProgram, startFaultProgram } from "../faults/fault-program.ts";
import { gaugeEvents, untilStarted } from "../support/gauge-log.ts";
import { itAlongside } from "../support/it-alongside.ts";
import { until } from "../support/processes.ts";
import { startHttpFixture } from "../support/servers.ts";
import { fixtureServer } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const TIMEOUT_S = 3;

/** Makes a call, stops our process until its answer has come and its time is over, and returns how the call ended. */
async function callWhileStopped(program: FaultProgram, log: string) {
  const sentAt = performance.now();
  const call = program.call("gauge", "slow", { ms: 800 });
  await untilStarted(log, 1);
  program.running.kill("SIGSTOP");
  await until(async () => (await gaugeEvents(log)).some(({ event }) => event === "end"), { describe: "the answer" });
  await until(() => performance.now() - sentAt > (TIMEOUT_S + 1) * 1000, { describe: "the deadline to pass" });
  program.running.kill("SIGCONT");
  return call;
}

describe.concurrent("F18: our process is stopped and goes on after the deadline of a call", () => {
  itAlongside("F18: an answer that came in time over stdio is the call's answer", async () => {
    const log = join(await temporaryFolder(), "gauge.jsonl");
    const gauge = { ...fixtureServer("gauge", { GAUGE_LOG: log }), default_tool_config: { timeout: TIMEOUT_S } };
    const program = await startFaultProgram({ servers: { gauge } });
    expect(await callWhileStopped(program, log)).toMatchObject({ status: "success" });
    await program.end();
  });

  itAlongside("F18: an answer that came in time over HTTP is the call's answer", async () => {
    const log = join(await temporaryFolder(), "gauge.jsonl");
    const { url } = await startHttpFixture("gauge", { GAUGE_LOG: log });
    const gauge = { url, default_tool_config: { timeout: TIMEOUT_S } };
    const program = await startFaultProgram({ servers: { gauge } });
    expect(await callWhileStopped(program, log)).toMatchObject({ status: "success" });
    await program.end();
  });
});
