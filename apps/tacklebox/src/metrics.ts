import type { Metrics } from "@tacklebox/core";

export interface ReadableMetrics extends Metrics {
  readonly contentType: string;
  /** Returns the metrics in the Prometheus text format. */
  read(): Promise<string>;
}

export const noMetrics: Metrics = { toolUsed: () => undefined, callEnded: () => undefined };

export async function createMetrics(): Promise<ReadableMetrics> {
  const { Counter, Registry, Summary } = (await import("prom-client")).default;
  const registry = new Registry();
  const usage = new Summary({
    name: "tool_usage",
    help: "Summary of tool usage",
    labelNames: ["tool_name"],
    registers: [registry],
  });
  const calls = new Counter({
    name: "tool_calls_total",
    help: "Calls that ended, by server and ending",
    labelNames: ["server", "ending"],
    registers: [registry],
  });
  return {
    contentType: registry.contentType,
    read: () => registry.metrics(),
    toolUsed: (toolName, seconds) => usage.observe({ tool_name: toolName }, seconds),
    callEnded: (server, ending) => calls.inc({ server, ending }),
  };
}
