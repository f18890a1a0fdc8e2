import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { ENDINGS } from "@tacklebox/core";
import { metricsContract } from "@tacklebox/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMetrics, type ReadableMetrics } from "./metrics.ts";
import { type MetricsServer, serveMetrics } from "./metrics-server.ts";

const open: MetricsServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) if (server.kind === "listening") await server.close();
});

async function serve(port = 0): Promise<MetricsServer> {
  const metrics = await createMetrics();
  metrics.toolUsed("echo", 0.25);
  metrics.callEnded("everything", "success");
  metrics.callEnded("everything", "denied");
  const server = await serveMetrics(metrics, port);
  open.push(server);
  return server;
}

async function urlOf(server: MetricsServer): Promise<string> {
  if (server.kind === "refused") throw new Error(server.message);
  return server.url;
}

function statusOf(
  url: string,
  options: { method?: string; headers?: Record<string, string> },
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { ...options, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

describe("metrics", () => {
  it("S4.37 serves tool_usage as a summary of seconds by tool_name, and calls by ending", async () => {
    const response = await fetch(await urlOf(await serve()));
    const text = await response.text();
    expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    expect(text).toContain("# HELP tool_usage Summary of tool usage\n# TYPE tool_usage summary\n");
    expect(text).toContain('tool_usage_sum{tool_name="echo"} 0.25\ntool_usage_count{tool_name="echo"} 1\n');
    expect(text).toContain('tool_calls_total{server="everything",ending="success"} 1\n');
    expect(text).toContain('tool_calls_total{server="everything",ending="denied"} 1\n');
  });

  it("serves nothing else, and nothing to a page that uses another host name", async () => {
    const url = await urlOf(await serve());
    expect(await statusOf(url.replace("/metrics", "/"), {})).toBe(404);
    expect(await statusOf(url, { method: "POST" })).toBe(405);
    expect(await statusOf(url, { headers: { host: "evil.example:80" } })).toBe(403);
    expect(await statusOf(url, { headers: { host: "localhost:1" } })).toBe(200);
  });

  it("says when the port is taken", async () => {
    const port = Number(new URL(await urlOf(await serve())).port);
    expect(await serve(port)).toEqual({
      kind: "refused",
      message: `Cannot serve metrics on 127.0.0.1:${port}: the port is taken. Choose another --metrics PORT, or 0 for any.`,
    });
  });
});

describe("docs/metrics.md", async () => {
  const page = await readFile(new URL("../../../docs/metrics.md", import.meta.url), "utf8");
  const tables = [...page.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(
    ([, name = "", rest = ""]) => [name, rest] as const,
  );
  const metrics = await createMetrics();
  metrics.toolUsed("read_file", 0.021);
  metrics.callEnded("files", "success");
  const served = await metrics.read();
  const types = [...served.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = "", type = ""]) => [name, type]);
  const labelsOf = (text: string) => new Set(Array.from(text.matchAll(/(\w+)="/g), ([, label = ""]) => label));

  it("lists every metric that is served, with its type and labels, and no other", () => {
    const listed = tables.flatMap(([name, rest]) => {
      const [, type, labels = ""] = /^(summary|counter|gauge|histogram) \| (.*?) \|/.exec(rest) ?? [];
      return type === undefined ? [] : [[name, type, labels.replaceAll("`", "").split(", ")] as const];
    });
    expect(listed.map(([name, type]) => [name, type])).toEqual(types);
    for (const [name, , labels] of listed) {
      const lines = served.split("\n").filter((line) => line.startsWith(name));
      expect([...labelsOf(lines.join("\n"))].filter((label) => label !== "quantile")).toEqual(labels);
    }
  });

  it("explains every label and every ending", () => {
    const explained = tables.map(([name]) => name);
    expect(explained).toEqual(expect.arrayContaining([...labelsOf(served), "success", ...ENDINGS]));
  });

  it("shows a scrape of the same form", () => {
    const [, example = ""] = /```text\n(# HELP[\s\S]*?)```/.exec(page) ?? [];
    const shape = (line: string) => line.replace(/="[^"]*"/g, "").replace(/ [\d.]+$/, "");
    const known = new Set(served.split("\n").map(shape));
    expect(
      example
        .split("\n")
        .map(shape)
        .filter((line) => !known.has(line)),
    ).toEqual([]);
  });
});

describe("metrics keep the metrics contract", () => {
  let metrics: ReadableMetrics;
  beforeEach(async () => {
    metrics = await createMetrics();
  });
  for (const { name, run } of metricsContract(() => ({ metrics, read: () => metrics.read() }))) it(name, run);
});
