import type { Metrics } from "@tacklebox/core";

export interface ReadableMetrics extends Metrics {
  readonly contentType: string;
  /** Returns the metrics in the Prometheus text format. */
  read(): Promise<string>;
}

export const noMetrics: Metrics = { toolUsed: () => undefined, callEnded: () => undefined };

export type OpenedMetrics =
  | {
      readonly kind: "open";
      readonly metrics: Metrics;
      /** Where they can be read; undefined if they are not served. */
      readonly url: string | undefined;
      close(): Promise<void>;
    }
  | { readonly kind: "refused"; readonly message: string };

/** Counts and serves metrics on a port, 0 for any free one. Without a port nothing is counted, and nothing loaded for it. */
export async function openMetrics(port: number | undefined): Promise<OpenedMetrics> {
  if (port === undefined) return { kind: "open", metrics: noMetrics, url: undefined, close: async () => undefined };
  const metrics = await createMetrics();
  const { serveMetrics } = await import("./metrics-server.ts");
  const server = await serveMetrics(metrics, port);
  if (server.kind === "refused") return server;
  return { kind: "open", metrics, url: server.url, close: server.close };
}

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
