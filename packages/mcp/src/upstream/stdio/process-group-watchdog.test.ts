import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { buildHostProgram, type HostProgram, type RunningHost } from "../testing/host-program.ts";
import { childrenNamed, isRunning, untilGone } from "../testing/running.ts";
import { createGroupWatchdog } from "./process-group-watchdog.ts";

const source = (file: string) => JSON.stringify(fileURLToPath(new URL(file, import.meta.url)));

/** Ignores the end of its input and SIGTERM, and so does the process it starts; prints both process ids. */
const STUBBORN = `
  const deaf = 'process.on("SIGTERM", () => {}); process.stdout.write("up\\\\n"); setInterval(() => {}, 1000);';
  process.on("SIGTERM", () => {});
  const child = require("node:child_process").spawn(process.execPath, ["-e", deaf], { stdio: ["ignore", "pipe", "ignore"] });
  child.stdout.once("data", () => process.stdout.write(process.pid + " " + child.pid + "\\n"));
`;

/** Prints the ids of the processes it started, then does what its mode says on command. */
const HOST = `
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createGroupWatchdog } from ${source("process-group-watchdog.ts")};
import { startServer } from ${source("server-process.ts")};

const launch = { transport: "stdio", command: process.execPath, args: ["-e", ${JSON.stringify(STUBBORN)}], env: {} };
async function start() {
  const server = await startServer(launch, { environment: process.env });
  const [line] = await once(server.stdout, "data");
  return { server, pids: String(line).trim().split(" ").map(Number) };
}

const mode = process.argv[2];
if (mode === "released") {
  const released = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore", detached: true });
  const watchdog = createGroupWatchdog();
  watchdog.start();
  watchdog.add(released.pid);
  watchdog.remove(released.pid);
  console.log(JSON.stringify([released.pid]));
}
else {
  const first = await start();
  console.log(JSON.stringify(first.pids));
  await once(process.stdin, "data");
  if (mode === "exit") process.exit(7);
  if (mode === "stop") await first.server.stop();
  if (mode === "again") {
    console.log(JSON.stringify((await start()).pids));
    // Answered in a later event loop turn than any watchdog replacement, so that the new one knows its servers by then.
    process.stdin.on("data", () => console.log(JSON.stringify([])));
  }
}
if (mode === "stop") process.stdin.destroy();
`;

let program: HostProgram;
const toKill: number[] = [];

beforeAll(async () => {
  program = await buildHostProgram(HOST);
});

afterEach(() => {
  for (const pid of toKill.splice(0).filter(isRunning)) process.kill(pid, "SIGKILL");
});

afterAll(() => program.remove());

async function startHost(mode: string): Promise<{ host: RunningHost; pids: number[]; watchdog: number }> {
  const host = program.start(mode);
  const pids = numbers(await host.nextLine());
  toKill.push(host.pid, ...pids);
  await eventually(() => expect(childrenNamed("sh", host.pid)).toHaveLength(1));
  const [watchdog = 0] = childrenNamed("sh", host.pid);
  return { host, pids, watchdog };
}

function numbers(value: unknown): number[] {
  if (!Array.isArray(value)) throw new Error("the host named no processes");
  return value.map(Number);
}

describe("a program that ends while its servers run", () => {
  it("leaves nothing behind when its whole group is killed, not even what ignores SIGTERM", async () => {
    const { host, pids, watchdog } = await startHost("wait");
    expect(pids.filter(isRunning)).toHaveLength(2);
    process.kill(-host.pid, "SIGKILL");
    expect((await host.exit).signal).toBe("SIGKILL");
    await untilGone([...pids, watchdog]);
  });

  it("ends them and the watchdog when it exits by itself", async () => {
    const { host, pids, watchdog } = await startHost("exit");
    host.writeLine("go");
    expect((await host.exit).code).toBe(7);
    await untilGone([...pids, watchdog]);
  });

  it("ends by itself once its servers are stopped, and the watchdog with it", async () => {
    const { host, pids, watchdog } = await startHost("stop");
    host.writeLine("go");
    expect((await host.exit).code).toBe(0);
    await untilGone([...pids, watchdog]);
  });
});

describe("the watchdog", () => {
  it("is replaced when it is killed, and the new one watches both older and later servers", async () => {
    const { host, pids, watchdog } = await startHost("again");
    process.kill(watchdog, "SIGKILL");
    await untilGone([watchdog]);
    await eventually(() => expect(childrenNamed("sh", host.pid)).toHaveLength(1));
    const replacement = childrenNamed("sh", host.pid);
    expect(replacement).not.toEqual([watchdog]);
    host.writeLine("go");
    const later = numbers(await host.nextLine());
    toKill.push(...later);
    expect([later.length, childrenNamed("sh", host.pid)]).toEqual([2, replacement]);
    process.kill(host.pid, "SIGKILL");
    await untilGone([...pids, ...later, ...replacement]);
  });

  it("misses no server that starts while it is being killed", async () => {
    const { host, pids, watchdog } = await startHost("again");
    process.kill(watchdog, "SIGKILL");
    host.writeLine("go");
    const later = numbers(await host.nextLine());
    toKill.push(...later);
    await eventually(() => expect(childrenNamed("sh", host.pid)).not.toContain(watchdog));
    await eventually(() => expect(childrenNamed("sh", host.pid)).toHaveLength(1));
    host.writeLine("ready?");
    await host.nextLine();
    process.kill(host.pid, "SIGKILL");
    await untilGone([...pids, ...later]);
  });

  it("does not touch groups that were released", async () => {
    const { host, pids, watchdog } = await startHost("released");
    process.kill(host.pid, "SIGKILL");
    await untilGone([host.pid, watchdog]);
    expect(pids.filter(isRunning)).toEqual(pids);
  });

  it("is optional: without a shell, servers run without it", async () => {
    const watchdog = createGroupWatchdog("/no/such/shell");
    const use = () => {
      watchdog.start();
      watchdog.add(2 ** 30);
      watchdog.remove(2 ** 30);
    };
    expect(use).not.toThrow();
    // The failed start is reported later, and would crash this process without a listener.
    await new Promise((resolve) => setImmediate(resolve));
    expect(use).not.toThrow();
  });
});
