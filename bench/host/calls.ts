import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Caller, type CallFigures, driveCalls, type Load, runCallers } from "../measure/drive-calls.mjs";
import { median } from "../report/arithmetic.mjs";
import { everythingLaunch, textOf } from "../subjects/everything.mjs";
import { openGoverned, readConfig } from "./governed-engine.ts";
import { openBareCommit, openStoreAlone } from "./store.ts";

export interface CallsOptions {
  readonly load: Load;
  readonly durability: "full" | "normal";
  readonly dataRoot: string;
  /** When given, the server is reached over Streamable HTTP instead of stdio. */
  readonly url?: string;
}

/**
 * Measures governed calls with every step on: a secret to redact, and limits that are just as high as the number of
 * callers.
 */
export async function measureCalls(options: CallsOptions): Promise<CallFigures> {
  const { load, durability, dataRoot, url } = options;
  const governed = await openGovernedCalls({ ...options, callers: load.callers });
  if (url !== undefined || durability === "normal") return driveCalls(governed, load);
  const bare = openBareCommit(dataRoot);
  return driveCalls(governed, load, bare.commit).finally(bare.close);
}

export interface DurableOptions {
  readonly dataRoot: string;
  readonly callers: number;
  readonly warmUp: number;
  /** Calls that each side makes before the other has its turn. */
  readonly calls: number;
  readonly turns: number;
}

/**
 * Compares durable calls with the call log on its own. The two take turns in one process, so that a machine that is
 * slow for a moment slows both.
 */
export async function measureDurable(options: DurableOptions): Promise<Record<string, number>> {
  const { dataRoot, callers, warmUp, calls, turns } = options;
  const governed = await openGovernedCalls({ durability: "full", dataRoot, callers });
  const store = await openStoreAlone(dataRoot);
  const perSecond = async (made: number, call: (number: number) => Promise<void>) => {
    const startedAt = performance.now();
    await runCallers(callers, made, call);
    return (made * 1000) / (performance.now() - startedAt);
  };
  const callEcho = async (number: number) => {
    await governed.call(`hello ${number}`);
  };
  await perSecond(warmUp, callEcho);
  await perSecond(warmUp, store.call);
  const measured = [];
  for (let turn = 0; turn < turns; turn += 1)
    measured.push({ durable: await perSecond(calls, callEcho), alone: await perSecond(calls, store.call) });
  await governed.close();
  await store.close();
  return {
    durable: median(measured.map(({ durable }) => durable)),
    alone: median(measured.map(({ alone }) => alone)),
    ratio: median(measured.map(({ durable, alone }) => durable / alone)),
  };
}

export interface SlowDiskOptions {
  readonly dataRoot: string;
  readonly callers: number;
  readonly calls: number;
}

/** Measures how long the event loop stands still while calls are recorded, in milliseconds. */
export async function measureSlowDisk({ dataRoot, callers, calls }: SlowDiskOptions): Promise<Record<string, number>> {
  const governed = await openGovernedCalls({ durability: "full", dataRoot, callers });
  const callEcho = async (number: number) => {
    await governed.call(`hello ${number}`);
  };
  // Until the disk is known to be slow.
  await runCallers(1, 2, callEcho);
  const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  lag.enable();
  const startedAt = performance.now();
  await runCallers(callers, calls, callEcho);
  const seconds = (performance.now() - startedAt) / 1000;
  lag.disable();
  await governed.close();
  const beyondResolution = (nanoseconds: number) => nanoseconds / 1e6 - LAG_RESOLUTION_MS;
  return {
    lagP50: beyondResolution(lag.percentile(50)),
    lagP99: beyondResolution(lag.percentile(99)),
    lagMax: beyondResolution(lag.max),
    callsPerSecond: calls / seconds,
  };
}

const LAG_RESOLUTION_MS = 5;

async function openGovernedCalls({
  durability,
  dataRoot,
  url,
  callers,
}: Omit<CallsOptions, "load"> & { readonly callers: number }): Promise<Caller> {
  const secret = "sk-bench-4f7e2c9a1b8d";
  const launch =
    url === undefined
      ? { ...everythingLaunch, env: { BENCH_TOKEN: secret } }
      : { transport: "streamable-http", url, headers: { "x-bench-token": secret } };
  const config = readConfig({
    calls: { durability },
    toolbox: { max_concurrent: callers },
    servers: { everything: { ...launch, default_tool_config: { max_instances: callers } } },
  });
  const { host, engine, close } = await openGoverned(config, dataRoot);
  const { problems } = await host.start();
  if (problems.length > 0) throw new Error(problems.map(({ text }) => text).join("\n"));
  return {
    async call(message) {
      const outcome = await engine.calls.make({ tool: "echo", arguments: { message } });
      if (outcome.status === "error") throw new Error(outcome.failure.message);
      return textOf(outcome.result);
    },
    close,
  };
}
