import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { connectionFailure } from "../testing/definitions.ts";
import { isRunning, untilGone } from "../testing/running.ts";
import { groupExists } from "./process-group.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

/** A shell's children inherit the signals it ignores, so these are two processes that only SIGKILL ends. */
const STUBBORN = `trap '' TERM; sleep 1000 & echo "$$ $!"; while :; do sleep 1000; done`;

async function start(command: string): Promise<{ server: ServerProcess; pids: number[] }> {
  const launch = { transport: "stdio", command: "/bin/sh", args: ["-c", command], env: {} } as const;
  const server = await startServer(launch, { environment: process.env });
  const [line] = await once(server.stdout, "data");
  return { server, pids: String(line).trim().split(" ").map(Number) };
}

describe("stopping servers", () => {
  it("ends 20 together that ignore the end of their input and SIGTERM, with what they started", async () => {
    const started = await Promise.all(Array.from({ length: 20 }, () => start(STUBBORN)));
    const pids = started.flatMap((one) => one.pids);
    expect(pids.filter(isRunning)).toHaveLength(40);
    await Promise.all(started.map(({ server }) => server.stop()));
    await untilGone(pids);
  });

  it("lets a server that gets SIGTERM finish its work, and its children theirs", async () => {
    const { server, pids } = await start(`trap 'kill $!; echo bye; exit 0' TERM; sleep 1000 & echo "$$ $!"; wait`);
    const output: string[] = [];
    server.stdout.on("data", (chunk: Buffer) => output.push(String(chunk)));
    await server.stop();
    expect([await server.ended, output.join("")]).toEqual([{ code: 0, signal: null }, "bye\n"]);
    await untilGone(pids);
  });

  it("waits for a server that exits when its input ends", async () => {
    const { server } = await start(`trap '' TERM; echo 1; read line; exit 0`);
    await server.stop();
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(groupExists(server.pid)).toBe(false);
  });

  it("names a command that cannot be executed", async () => {
    const launch = { transport: "stdio", command: "no\0such", args: [], env: {} } as const;
    expect((await connectionFailure(startServer(launch, { environment: {} }))).code).toBe("unreachable");
  });
});
