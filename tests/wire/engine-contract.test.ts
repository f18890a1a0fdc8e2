import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createRemoteEngine, type StartReport } from "@tacklebox/core";
import { type EngineTrial, engineContract, sessionServer } from "@tacklebox/core/testing";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const HOST = fileURLToPath(new URL("engine-host.ts", import.meta.url));
const DIST = fileURLToPath(new URL("../dist", import.meta.url));

let program: string;

beforeAll(async () => {
  await mkdir(DIST, { recursive: true });
  program = join(await mkdtemp(join(DIST, "wire-")), "host.mjs");
  const bundle = await rolldown({ input: HOST, platform: "node", external: [/^node:/] });
  await bundle.write({ file: program, codeSplitting: false });
  await bundle.close();
});

afterAll(() => rm(join(program, ".."), { recursive: true, force: true }));

/** Starts an engine in another process; this side communicates with it only in text. */
async function openEngineProcess(caseName: string): Promise<EngineTrial> {
  const child = spawn(process.execPath, [program, caseName], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const awaitingReport: ((report: StartReport) => void)[] = [];
  let receiveText: (text: string) => void = () => undefined;
  const write = (text: string) => void child.stdin.write(`${text}\n`);
  const { engine, broken } = createRemoteEngine({
    send: write,
    receive(listener) {
      receiveText = listener;
    },
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as { host?: StartReport };
    if (message.host === undefined) receiveText(line);
    else awaitingReport.shift()?.(message.host);
  });
  const askHost = (message: object) =>
    new Promise<StartReport>((resolve) => {
      awaitingReport.push(resolve);
      write(JSON.stringify(message));
    });
  return {
    engine,
    host: {
      start: () => askHost({ host: "start" }),
      async stop(drainMs) {
        await askHost({ host: "stop", drainMs });
      },
    },
    guest: sessionServer("guest"),
    async cleanup() {
      child.stdin.end();
      child.kill();
      await ended;
      broken("the engine's process has ended");
    },
  };
}

describe("an engine in another process, behind a channel of JSON texts, keeps the engine contract", () => {
  const cases = engineContract((_turns, caseName) => openEngineProcess(caseName));
  it.each(cases.map(({ name, run }) => [name, run] as const))("%s", (_name, run) => run());
});

it("what is asked of an engine whose process is gone is rejected, and so is what was being waited for", async () => {
  const { engine, host, cleanup } = await openEngineProcess("");
  await host.start();
  const reading = engine.events.follow()[Symbol.asyncIterator]().next();
  const settled = reading.catch((error: unknown) => error);
  await cleanup();
  expect(await settled).toMatchObject({ message: "the engine's process has ended" });
  await expect(engine.servers.list()).rejects.toThrow("the engine's process has ended");
});
