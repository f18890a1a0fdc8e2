import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { attach, type FaultProgram, faultServer, startFaultProgram } from "../faults/fault-program.ts";
import { itAlongside } from "../support/it-alongside.ts";
import { killQuietly, processesWithMarker, until } from "../support/processes.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { releaseAfterwards } from "../support/release.ts";

/** Starts a program with a server whose child has left its process group; returns that child too. */
async function startEscaping(): Promise<{ program: FaultProgram; own: string; escaped: () => readonly number[] }> {
  const own = `escaping-${crypto.randomUUID()}`;
  const program = await startFaultProgram({ servers: { escaping: faultServer("escaping", { OWN: own }) } });
  // If the promise is broken, what is left behind must not outlive this test.
  releaseAfterwards(async () => processesWithMarker(own).forEach(killQuietly));
  expect(await program.call("escaping", "ping")).toMatchObject({ status: "success" });
  return { program, own, escaped: () => processesWithMarker(own) };
}

describe.concurrent("F17: a server's child calls setsid and ignores SIGTERM", () => {
  itAlongside("F17: it is gone when the program has ended", async () => {
    const { program, escaped } = await startEscaping();
    expect(escaped()).toHaveLength(2);
    await program.end();
    expect(readdirSync(join(program.data, "processes"))).toEqual([]);
  });

  itAlongside("F17: it is gone after its server has crashed, while the program goes on", async () => {
    const { program, escaped } = await startEscaping();
    const before = escaped();
    expect(await program.call("escaping", "crash")).toMatchObject({ ending: "interrupted" });
    await until(() => before.every((pid) => !escaped().includes(pid)), { describe: "both to be gone" });
    await program.steady();
    await program.end();
  });

  itAlongside("F17: after the program was killed (SIGKILL) it is gone with the next start", async () => {
    const { program, escaped } = await startEscaping();
    program.running.kill("SIGKILL");
    await program.running.exit;
    await until(() => escaped().length <= 1, { describe: "the server itself to be gone" });
    const env = { TACKLEBOX_DATA: program.data };
    const { code } = await runProgram(["call", "steady", "ping", "--config", program.config], { env });
    expect(code).toBe(0);
    expect(escaped()).toEqual([]);
    expect(readdirSync(join(program.data, "processes"))).toEqual([]);
  });

  itAlongside("F17: it is left alone by another program on the same data folder, as long as its own runs", async () => {
    const { program, escaped } = await startEscaping();
    const before = escaped();
    const env = { TACKLEBOX_DATA: program.data };
    const running = await startProgram(["call", "--stdin", "--config", program.config], { env });
    const other = attach(running, program);
    await other.steady();
    running.endStdin();
    expect(await running.exit).toMatchObject({ code: 0 });
    expect(escaped()).toEqual(before);
    expect(await program.call("escaping", "ping")).toMatchObject({ status: "success" });
    await program.end();
  });
});
