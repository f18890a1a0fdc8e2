import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GaugeEvent, gaugeEvents } from "../support/gauge-log.ts";
import { isRunning, until } from "../support/processes.ts";
import { startProgram } from "../support/program.ts";
import { fixtureServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const CALLS = 1_000;
const CRASHES = 4;
const LIMITS = { slow: 3, other: 4, stubborn: 2 } as const;
const MAX_AT_ONCE = 7;
const HOURS = 10_000_000;
type Tool = keyof typeof LIMITS;
const TOOLS: readonly Tool[] = ["slow", "other", "stubborn"];

/** Returns the most calls that ran at once at the servers; calls of a killed process ended with it. */
function peakOf(events: readonly GaugeEvent[], counts: (event: GaugeEvent) => boolean): number {
  const running = new Map<number, number>();
  let newest = 0;
  let peak = 0;
  for (const { event, pid } of events.filter(counts)) {
    // The engine starts the next process only when the last one is gone.
    if (pid !== newest) running.clear();
    newest = pid;
    if (event === "cancel") continue;
    running.set(pid, (running.get(pid) ?? 0) + (event === "start" ? 1 : -1));
    peak = Math.max(peak, running.get(pid) ?? 0);
  }
  return peak;
}

describe("limits at a real server that is killed again and again", () => {
  it("hold over a thousand calls, and every call ends", async () => {
    const log = join(await temporaryFolder(), "gauge.jsonl");
    const config = await toolboxFile({
      toolbox: {
        max_concurrent: MAX_AT_ONCE,
        max_wait: "PT2M",
        tools: TOOLS.map((name) => ({ name, max_instances: LIMITS[name], timeout: "PT10H" })),
      },
      servers: { gauge: fixtureServer("gauge", { GAUGE_LOG: log }) },
    });
    const program = await startProgram(["call", "--stdin", "--config", config]);
    const outcomes = () => program.stdout().split("\n").slice(0, -1).map(parsed);
    let probes = 0;
    /** Waits for a killed server to come back; until then calls end at once as unreachable. */
    const comesBack = async () => {
      probes += 1;
      const id = `probe-${probes}`;
      program.write(`${JSON.stringify({ id, tool: "gauge" })}\n`);
      const answer = parsed(await program.waitForStdout((line) => line.startsWith(`{"id":"${id}"`)));
      return answer.status === "success";
    };
    for (let crash = 0, sent = 0; crash <= CRASHES; crash += 1) {
      await until(comesBack, { describe: "the server to come back" });
      const share = Math.floor(CALLS / (CRASHES + 1));
      for (let index = 0; index < share; index += 1, sent += 1) {
        const tool = TOOLS[sent % TOOLS.length];
        // The first call before a crash is still running when the crash happens, however slow this machine is.
        const ms = index === 0 && crash < CRASHES ? HOURS : sent % 7;
        program.write(`${JSON.stringify({ id: sent, tool, arguments: { ms } })}\n`);
      }
      if (crash === CRASHES) break;
      const seen = (await gaugeEvents(log)).length;
      await until(async () => (await gaugeEvents(log)).length > seen + 20, { describe: "the server to be busy" });
      const [newest] = (await gaugeEvents(log)).slice(-1);
      if (newest !== undefined && isRunning(newest.pid)) process.kill(newest.pid, "SIGKILL");
      const answered = (id: number) => outcomes().some((outcome) => outcome.id === id);
      await until(() => answered(sent - 1), { describe: "the last call of the share to end" });
    }
    program.endStdin();
    expect(await program.exit).toMatchObject({ code: 0 });

    const ended = outcomes().filter(({ id }) => typeof id === "number");
    expect(ended.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: CALLS }, (_, id) => id),
    );
    const endings = new Set(ended.map(({ status, ending }) => ending ?? status));
    expect(
      [...endings].filter((ending) => !["success", "interrupted", "unreachable"].includes(String(ending))),
    ).toEqual([]);
    expect(endings).toContain("success");
    expect(endings).toContain("interrupted");

    const events = await gaugeEvents(log);
    for (const tool of TOOLS) expect(peakOf(events, (event) => event.tool === tool)).toBeLessThanOrEqual(LIMITS[tool]);
    expect(peakOf(events, () => true)).toBeLessThanOrEqual(MAX_AT_ONCE);
    expect(new Set(events.map(({ pid }) => pid)).size).toBeGreaterThan(1);
  });
});
