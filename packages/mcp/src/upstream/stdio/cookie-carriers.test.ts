import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { COOKIE_VARIABLE, endCarriers } from "./cookie-carriers.ts";

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

/** Starts a process in a session of its own that prints once it is ready and then sleeps. */
async function start(
  env: Readonly<Record<string, string>>,
  script = "echo ready; exec sleep 60",
): Promise<ChildProcess> {
  const child = spawn("/bin/sh", ["-c", script], {
    env: { PATH: "/usr/bin:/bin", ...env },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  running.push(child);
  await once(child.stdout, "data");
  return child;
}

const exitOf = async (child: ChildProcess): Promise<NodeJS.Signals | null> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.signalCode;
};
const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

describe.runIf(process.platform === "linux")("ending the processes that carry a cookie", () => {
  it("ends them wherever they are: politely, and by force those that do not listen", async () => {
    const cookie = crypto.randomUUID();
    const polite = await start({ [COOKIE_VARIABLE]: `${cookie}.1` });
    const deaf = await start(
      { A: "b", [COOKIE_VARIABLE]: `${cookie}.2`, Z: "y" },
      "trap '' TERM; echo ready; sleep 60",
    );
    await endCarriers((carried) => carried.startsWith(`${cookie}.`));
    expect(await exitOf(polite)).toBe("SIGTERM");
    expect(await exitOf(deaf)).toBe("SIGKILL");
  });

  it("touches no process that carries another one, none, or one that only looks like it", async () => {
    const cookie = crypto.randomUUID();
    const others = await Promise.all([
      start({}),
      start({ [COOKIE_VARIABLE]: crypto.randomUUID() }),
      start({ [`X${COOKIE_VARIABLE}`]: cookie }),
      start({ NOTE: `${COOKIE_VARIABLE}=${cookie}` }),
      start({ [COOKIE_VARIABLE]: `${cookie}0` }),
    ]);
    const own = await start({ [COOKIE_VARIABLE]: cookie });
    await endCarriers((carried) => carried === cookie);
    await exitOf(own);
    expect(others.map(isRunning)).toEqual([true, true, true, true, true]);
  });
});
