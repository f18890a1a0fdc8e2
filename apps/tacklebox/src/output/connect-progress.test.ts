import type { Clock } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { createEventHub } from "../testing/event-hub.ts";
import { createMemorySink } from "../testing/memory-io.ts";
import { showConnectProgress } from "./connect-progress.ts";
import { createProgressLine } from "./progress-line.ts";

function setUp(live: boolean) {
  const events = createEventHub();
  const timers = new Set<() => void>();
  const after: Clock["after"] = (_ms, task) => {
    timers.add(task);
    return () => timers.delete(task);
  };
  const stderr = createMemorySink();
  const logs: string[] = [];
  const end = showConnectProgress({ events }, { after }, createProgressLine(stderr, { live, columns: 60 }), {
    log: (level, text) => logs.push(`${level} ${text}`),
  });
  const emit = async (server: string, status: "connecting" | "connected" | "error", cause?: string) => {
    events.emit({ type: "connection-changed", scope: "agent", server, status, ...(cause ? { cause } : {}) });
    await settle();
  };
  const passTime = () => {
    for (const task of timers) task();
  };
  return { emit, passTime, end, stderr, logs, timers, readers: events.readers };
}

/** Events are delivered asynchronously. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const ERASE = "\r\u001b[2K";

describe("progress while servers connect", () => {
  it("redraws one line on a terminal and removes it at the end", async () => {
    const context = setUp(true);
    await context.emit("files", "connecting");
    await context.emit("web", "connecting");
    await context.emit("files", "connected");
    context.passTime();
    await context.emit("web", "error", "refused\u001b[2J");
    context.end();
    expect(context.stderr.text().split(ERASE)).toEqual([
      "",
      "Connecting 0/1 up: files",
      "Connecting 0/2 up: files, web",
      "Connecting 1/2 up: web",
      "Connecting 1/2 up: web slow",
      "Connecting 1/2 up: web failed (refused\\x1b[2J)",
      "",
    ]);
    expect(context.logs).toEqual([]);
  });

  it("names servers that are still connecting before those that failed", async () => {
    const context = setUp(true);
    await context.emit("gone", "error", "not found");
    await context.emit("files", "connecting");
    expect(context.stderr.text().split(ERASE).at(-1)).toBe("Connecting 0/2 up: files, gone failed (not found)");
    await context.emit("web", "error", "late\nIt is slow.");
    await context.emit("gone", "error", "lost");
    expect(context.stderr.text().split(ERASE).slice(-2)).toEqual([
      "Connecting 0/3 up: files, gone failed, web failed (late)",
      "Connecting 0/3 up: files, web failed, gone failed (lost)",
    ]);
    context.end();
  });

  it("logs slow servers elsewhere", async () => {
    const context = setUp(false);
    await context.emit("files", "connecting");
    context.passTime();
    await context.emit("files", "connected");
    context.end();
    expect(context.logs).toEqual(["info MCP server 'files' is slow: no answer after 3 s, still waiting"]);
    expect(context.stderr.text()).toBe("");
  });

  it("leaves no timer and no subscription behind", async () => {
    const context = setUp(true);
    await context.emit("files", "connecting");
    context.end();
    expect([context.timers.size, context.readers()]).toEqual([0, 0]);
  });

  it("keeps log lines whole that come meanwhile", async () => {
    const stderr = createMemorySink();
    const line = createProgressLine(stderr, { live: true, columns: 20 });
    line.show("Connecting a very long line");
    await line.write("warn x\n");
    line.clear();
    await line.write("warn y\n");
    expect(stderr.text()).toBe(`${ERASE}Connecting a very…${ERASE}warn x\nConnecting a very…${ERASE}warn y\n`);
  });
});
