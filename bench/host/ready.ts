import { type EngineConfig, listen } from "../../packages/core/src/index.ts";
import { readCpu } from "../measure/tree-cpu.mjs";
import { everythingLaunch } from "../subjects/everything.mjs";
import { openGoverned, readConfig } from "./governed-engine.ts";

export interface ReadyOptions {
  readonly dataRoot: string;
  readonly servers: number;
  /** Adds a server that starts and never says a word, with the timeout every server has. */
  readonly dead: boolean;
}

/**
 * Until so many servers are connected and listed, and until a tool of each was called. The clock runs since the
 * process started; nothing is known from an earlier start.
 */
export async function measureReady({ dataRoot, servers, dead }: ReadyOptions): Promise<Record<string, number>> {
  const { host, engine, close } = await openGoverned(toConfig(servers, dead), dataRoot);
  let missing = servers;
  let connected = 0;
  const others = new Promise<void>((resolve) => {
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
  await others;
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
  // Every server has the same tools; each is called by its server's name.
  return readConfig({
    toolbox: { collisions: "qualify", max_concurrent: servers },
    servers: Object.fromEntries([...living, ...silent]),
  });
}
