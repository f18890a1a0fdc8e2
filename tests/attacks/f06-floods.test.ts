import { describe, expect } from "vitest";
import {
  type FaultHttp,
  type FaultProgram,
  faultServer,
  startFaultHttp,
  startFaultProgram,
} from "../faults/fault-program.ts";
import { itAlongside } from "../support/it-alongside.ts";
import { processesWithMarker, until } from "../support/processes.ts";
import { logLines } from "../support/toolbox-file.ts";

const PAUSED = /^warn MCP server 'flooding' sent about [\d,]+ messages a second .*; it is paused/;
const REPLACED = /^warn MCP server 'flooding' sent about [\d,]+ messages a second .*; its connection is replaced/;

async function untilLogged(program: FaultProgram, line: RegExp): Promise<void> {
  await until(() => logLines(program.running.stderr()).some((logged) => line.test(logged)), {
    describe: `a log line that fits ${line}`,
    withinMs: 40_000,
  });
}

async function pauseAndReplace(program: FaultProgram, flood: string): Promise<void> {
  expect(await program.call("flooding", flood)).toMatchObject({ status: "success" });
  await untilLogged(program, PAUSED);
  await program.steady();
  await untilLogged(program, REPLACED);
  await program.steady();
  await program.untilWorks("flooding");
  await program.end();
}

async function floodOverStdio(flood: string): Promise<void> {
  const marker = `flooding-${crypto.randomUUID()}`;
  const program = await startFaultProgram({ servers: { flooding: faultServer("tools", { OWN: marker }) } });
  await program.steady();
  const [before] = processesWithMarker(marker);
  await pauseAndReplace(program, flood);
  expect(before).toBeDefined();
  expect(processesWithMarker(marker)).toEqual([]);
}

async function floodOverHttp(flood: string): Promise<void> {
  const web: FaultHttp = await startFaultHttp();
  const program = await startFaultProgram({ servers: { flooding: { url: `${web.origin}/streaming` } } });
  await program.steady();
  await until(async () => (await web.seen("/streaming")).gets === 1, { describe: "its stream to be open" });
  await pauseAndReplace(program, flood);
  expect((await web.seen("/streaming")).initialized).toBeGreaterThan(1);
}

async function floodOverSse(flood: string): Promise<void> {
  const web: FaultHttp = await startFaultHttp();
  const url = `${web.origin}/sse-flood`;
  const program = await startFaultProgram({ servers: { flooding: { url, transport: "sse" } } });
  await pauseAndReplace(program, flood);
  expect((await web.seen("/sse-flood")).gets).toBeGreaterThan(1);
}

describe.concurrent("F6: a server floods us although nobody asks it for anything", () => {
  itAlongside("F6: over stdio it is paused, then replaced by a fresh process, and the log says so", async () => {
    await floodOverStdio("flood_idle");
  });

  itAlongside("F6: over stdio so is one that sends nothing but empty lines", async () => {
    await floodOverStdio("flood_blank");
  });

  itAlongside("F6: over Streamable HTTP its stream is paused, then its connection replaced", async () => {
    await floodOverHttp("flood_stream");
  });

  itAlongside("F6: so is one of nothing but comments and blank lines", async () => {
    await floodOverHttp("flood_comments");
  });

  itAlongside("F6: over the old SSE transport its stream is paused, then its connection replaced", async () => {
    await floodOverSse("flood_stream");
  });

  itAlongside("F6: over the old SSE transport so is one of nothing but comments and blank lines", async () => {
    await floodOverSse("flood_comments");
  });

  itAlongside("F6: a call behind the flood ends, and says why if it ends without an answer", async () => {
    const program = await startFaultProgram({ servers: { flooding: faultServer("tools") } });
    await program.call("flooding", "flood_idle");
    await untilLogged(program, PAUSED);
    const outcome = await program.call("flooding", "hold");
    expect(outcome).toMatchObject({ status: "error", ending: "interrupted" });
    expect(outcome.text).toMatch(/about [\d,]+ messages a second that nothing had asked for/);
    await program.end();
  });

  itAlongside("F6: 2,000 log lines in one call, or 2,000 reports of its progress, are no flood", async () => {
    const program = await startFaultProgram({ servers: { logging: faultServer("tools") } });
    expect(await program.call("logging", "log_burst", { count: 2_000 })).toMatchObject({ text: "logged" });
    expect(await program.call("logging", "progress_flood", { count: 2_000 })).toMatchObject({ status: "success" });
    expect(logLines(program.running.stderr()).filter((line) => line.includes("messages a second"))).toEqual([]);
    await program.end();
  });
});
