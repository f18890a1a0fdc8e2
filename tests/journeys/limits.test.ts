import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callLines } from "../support/call-lines.ts";
import { type GaugeEvent, gaugeEvents } from "../support/gauge-log.ts";
import { startProgram } from "../support/program.ts";
import { startHttpFixture } from "../support/servers.ts";
import { fixtureServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

function peakOf(events: readonly GaugeEvent[], tool?: string): number {
  let now = 0;
  let peak = 0;
  for (const event of events.filter((seen) => tool === undefined || seen.tool === tool)) {
    now += event.event === "start" ? 1 : -1;
    peak = Math.max(peak, now);
  }
  return peak;
}

const lines = (count: number, tool: string, ms: number) =>
  Array.from({ length: count }, () => ({ tool, arguments: { ms } }));

describe("limits hold at the server", () => {
  it.each(["stdio", "http"] as const)(
    "64 calls of a tool with max_instances 3 under max_concurrent 10, over %s: never more than 3 at once, others go on, all end",
    async (transport) => {
      const log = join(await temporaryFolder(), "gauge.jsonl");
      const server =
        transport === "stdio"
          ? fixtureServer("gauge", { GAUGE_LOG: log })
          : { url: (await startHttpFixture("gauge", { GAUGE_LOG: log })).url };
      const config = await toolboxFile({
        toolbox: {
          max_concurrent: 10,
          max_wait: "PT2M",
          tools: [
            { name: "slow", max_instances: 3 },
            { name: "other", max_instances: 4 },
          ],
        },
        servers: { gauge: server },
      });
      const outcomes = await callLines(config, [...lines(64, "slow", 60), ...lines(20, "other", 5)]);
      expect(outcomes.filter(({ status }) => status === "success")).toHaveLength(84);
      const events = await gaugeEvents(log);
      expect(peakOf(events, "slow")).toBe(3);
      expect(peakOf(events, "other")).toBeLessThanOrEqual(4);
      expect(peakOf(events)).toBeLessThanOrEqual(10);
      const lastOther = events.findLastIndex(({ tool, event }) => tool === "other" && event === "end");
      const slowLeft = events.slice(lastOther).filter(({ tool, event }) => tool === "slow" && event === "end").length;
      expect(slowLeft).toBeGreaterThan(20);
    },
  );

  it("max_concurrent bounds all tools of all servers together", async () => {
    const folder = await temporaryFolder();
    const log = join(folder, "gauge.jsonl");
    const config = await toolboxFile({
      toolbox: { max_concurrent: 4, collisions: "qualify", max_wait: "PT2M" },
      servers: { one: fixtureServer("gauge", { GAUGE_LOG: log }), two: fixtureServer("gauge", { GAUGE_LOG: log }) },
    });
    const calls = ["one", "two"].flatMap((server) =>
      ["slow", "other"].flatMap((tool) => lines(8, tool, 30).map((line) => ({ ...line, server }))),
    );
    const outcomes = await callLines(config, calls);
    expect(outcomes.filter(({ status }) => status === "success")).toHaveLength(32);
    expect(peakOf(await gaugeEvents(log))).toBeLessThanOrEqual(4);
  });

  it("a server's own max_concurrent bounds its tools together", async () => {
    const log = join(await temporaryFolder(), "gauge.jsonl");
    const config = await toolboxFile({
      servers: { gauge: { ...fixtureServer("gauge", { GAUGE_LOG: log }), max_concurrent: 2 } },
    });
    await callLines(config, [...lines(6, "slow", 20), ...lines(6, "other", 20)]);
    expect(peakOf(await gaugeEvents(log))).toBeLessThanOrEqual(2);
  });

  it("D.12 a call that waits too long for its tool ends with the limit's text", async () => {
    const config = await toolboxFile({
      toolbox: { max_wait: "PT0.2S", tools: [{ name: "slow", max_instances: 1 }] },
      servers: { gauge: fixtureServer("gauge") },
    });
    const [first, second] = await callLines(config, lines(2, "slow", 1_500));
    expect(first).toMatchObject({ status: "success" });
    expect(second).toMatchObject({
      ending: "limit",
      text: "MCP error: Tool 'slow' is at its limit of 1 concurrent calls",
    });
  });

  it("D.11 a timed-out call answers at once and is cancelled upstream; a server that ignores that still gets one at a time", async () => {
    const log = join(await temporaryFolder(), "gauge.jsonl");
    const config = await toolboxFile({
      toolbox: {
        max_wait: "PT1M",
        tools: [
          { name: "stubborn", max_instances: 1, timeout: 0.3 },
          { name: "slow", timeout: 0.3 },
        ],
      },
      servers: { gauge: fixtureServer("gauge", { GAUGE_LOG: log }) },
    });
    const outcomes = await callLines(config, [...lines(3, "stubborn", 900), ...lines(1, "slow", 60_000)]);
    expect(outcomes.map(({ ending }) => ending)).toEqual(["timed-out", "timed-out", "timed-out", "timed-out"]);
    expect(outcomes[0]?.text).toBe("MCP error: Tool 'stubborn' did not answer within 0.3 s; it may have run");
    const events = await gaugeEvents(log);
    expect(peakOf(events, "stubborn")).toBe(1);
    expect(events).toContainEqual(expect.objectContaining({ event: "cancel", tool: "slow" }));
  });

  it("S1.54 a server's rate limit refuses what would have to wait too long", async () => {
    const config = await toolboxFile({
      toolbox: { max_wait: "PT0.1S" },
      servers: { gauge: { ...fixtureServer("gauge"), rate: { per_minute: 6, burst: 2 } } },
    });
    const outcomes = await callLines(config, lines(3, "slow", 1));
    expect(outcomes.map(({ status }) => status)).toEqual(["success", "success", "error"]);
    expect(outcomes[2]?.text).toBe("MCP error: Server 'gauge' is at its rate limit of 6 calls per minute");
  });
});

describe("call --stdin", () => {
  it("answers as calls end, not in the order of the lines, and echoes every id", async () => {
    const config = await toolboxFile({ servers: { gauge: fixtureServer("gauge") } });
    const program = await startProgram(["call", "--stdin", "--config", config]);
    program.write(
      '{"id":"long","tool":"slow","arguments":{"ms":6000}}\n{"id":null,"tool":"other","arguments":{"ms":1}}\n',
    );
    program.write('not json\n{"tool":3}\n{"id":7,"tool":"nobody"}\n\n');
    program.endStdin();
    const { code, stdout } = await program.exit;
    const outcomes = stdout.trim().split("\n").map(parsed);
    expect(code).toBe(0);
    expect(outcomes).toHaveLength(5);
    expect(outcomes.at(-1)).toMatchObject({ id: "long", status: "success" });
    expect(outcomes).toContainEqual(
      expect.objectContaining({
        ending: "invalid-arguments",
        text: expect.stringMatching(/^MCP error: line 3: not JSON/),
      }),
    );
    expect(outcomes).toContainEqual(expect.objectContaining({ id: 7, ending: "unknown-tool" }));
  });
});
