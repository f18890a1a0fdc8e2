import { type EngineConfig, listen } from "../../packages/core/src/index.ts";
import { readCpu } from "../measure/tree-cpu.mjs";
import { everythingLaunch } from "../subjects/everything.mjs";
import { openGoverned, readConfig } from "./governed-engine.ts";

export interface ReadyOptions {
  readonly dataRoot: string;
  readonly servers: number;
  /** Adds a server that starts but never responds, with the default timeout. */
  readonly dead: boolean;
}

/**
 * Measures the time until all servers are connected and listed, and until one tool of each has been called. Times count
 * from the start of the process; nothing is cached from an earlier start.
 */
export async function measureReady({ dataRoot, servers, dead }: ReadyOptions): Promise<Record<string, number>> {
  const { host, engine, close } = await openGoverned(toConfig(servers, dead), dataRoot);
  let missing = servers;
  let connected = 0;
  const allConnected = new Promise<void>((resolve) => {
    listen(engine, (event) => {
      if (event.type !== "connection-changed" || event.status !== "connected") return;
      missing -= 1;
      if (missing > 0) return;
      connected = performance.now();
      resolve();
    });
  });
  const stop = new AbortController();
  const starting = host.start(stop.signal);
  await allConnected;
  const { own, children } = readCpu();
  const calls = await Promise.all(
    Array.from({ length: servers }, (_, index) =>
      engine.calls.make({ server: `server-${index}`, tool: "echo", arguments: { message: "ready" } }),
    ),
  );
  const callable = performance.now();
  const refused = calls.find(({ status }) => status === "error");
  if (refused !== undefined) throw new Error(JSON.stringify(refused));
  stop.abort();
  await starting;
  await close();
  return { connected, callable, cpu: (own + children) / 1000 };
}

function toConfig(servers: number, dead: boolean): EngineConfig {
  const living = Array.from({ length: servers }, (_, index) => [`server-${index}`, everythingLaunch] as const);
  const silent = dead ? [["dead", { command: "sleep", args: ["600"] }] as const] : [];
  // All servers have the same tools, so names are qualified with the server's.
  return readConfig({
    toolbox: { collisions: "qualify", max_concurrent: servers },
    servers: Object.fromEntries([...living, ...silent]),
  });
}
