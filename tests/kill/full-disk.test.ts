import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { callRecords } from "../support/call-records.ts";
import { startProcess } from "../support/running-process.ts";
import { fixtureServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { ledgerMarkers } from "./ledger-lines.ts";

const PROGRAM = fileURLToPath(new URL("../../apps/tacklebox/dist/main.js", import.meta.url));
/** Room for the empty database and a few calls, in the 512-byte units of `ulimit`. */
const BLOCKS = 800;
const PADDING = "x".repeat(30_000);

/**
 * Starts a program whose files cannot grow beyond a limit. To the program that looks like a full disk: the write fails.
 * The limit is soft, so that it can be lifted while the program runs.
 */
async function startBounded() {
  const folder = await temporaryFolder();
  const ledger = join(folder, "ledger.txt");
  const data = join(folder, "data");
  const config = await toolboxFile({ servers: { ledger: fixtureServer("ledger", { LEDGER: ledger }) } });
  const program = await startProcess(
    "/bin/sh",
    ["-c", `ulimit -S -f ${BLOCKS}; exec "$@"`, "sh", process.execPath, PROGRAM, "call", "--stdin", "--config", config],
    { cwd: folder, env: { PATH: process.env.PATH ?? "", HOME: folder, TACKLEBOX_DATA: data } },
  );
  const call = async (marker: string, padding = ""): Promise<Record<string, unknown>> => {
    program.write(`${JSON.stringify({ id: marker, tool: "fast", arguments: { marker, padding } })}\n`);
    return parsed(await program.waitForStdout((line) => line.startsWith(`{"id":"${marker}"`)));
  };
  const makeRoom = () => execFileSync("prlimit", ["--pid", String(program.pid), "--fsize=unlimited:"]);
  return { program, data, call, makeRoom, executed: () => ledgerMarkers(ledger) };
}

function hasRun({ error }: Record<string, unknown>): boolean {
  return String(error).startsWith("The call has run, but its end is not recorded. ");
}

describe("a call log that cannot be written", () => {
  it("no log, no call: refuses calls without making them while the disk is full, keeps answering, and goes on after", async () => {
    const { program, data, call, makeRoom, executed } = await startBounded();
    const made: string[] = [];
    let refused: Record<string, unknown> | undefined;
    for (let index = 0; refused === undefined && index < 100; index += 1) {
      const outcome = await call(`filling-${index}`, PADDING);
      // The disk may fill up just when a call's end is written; that call was made, and says so. The next one is
      // refused.
      if (outcome.status === "success" || hasRun(outcome)) made.push(`filling-${index}`);
      else refused = outcome;
    }
    expect(made.length).toBeGreaterThan(0);
    expect(refused).toMatchObject({
      status: "error",
      ending: "log-unavailable",
      error: expect.stringMatching(
        /^The call log cannot be written \(Could not write to .*: the disk could not be written; check/,
      ),
    });
    expect(await call("still full", PADDING)).toMatchObject({ ending: "log-unavailable" });
    const before = await executed();
    expect(before.filter((marker) => !marker.startsWith("filling"))).toEqual([]);

    makeRoom();
    expect(await call("room again", PADDING)).toMatchObject({ status: "success" });
    program.endStdin();
    expect(await program.exit).toMatchObject({ code: 0 });

    expect(await executed()).toEqual([...before, "room again"]);
    const rows = await callRecords(data, "--limit", "1000");
    const markers = rows.map((row) => Object(row.arguments).marker);
    expect(before.filter((marker) => !markers.includes(marker))).toEqual([]);
  });
});
