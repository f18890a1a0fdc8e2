import type { Clock, Engine, EngineEvent, EventListener } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { createMemorySink } from "../testing/memory-io.ts";
import { showConnectProgress } from "./connect-progress.ts";
import { createProgressLine } from "./progress-line.ts";

function createScene(live: boolean) {
  const listeners = new Set<EventListener>();
  const subscribe: Engine["subscribe"] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const timers = new Set<() => void>();
  const after: Clock["after"] = (_ms, task) => {
    timers.add(task);
    return () => timers.delete(task);
  };
  const stderr = createMemorySink();
  const logs: string[] = [];
  const end = showConnectProgress({ subscribe }, { after }, createProgressLine(stderr, { live, columns: 60 }), {
    log: (level, text) => logs.push(`${level} ${text}`),
  });
  const emit = (server: string, status: "connecting" | "connected" | "error", cause?: string) => {
    const event: EngineEvent = {
      type: "connection-changed",
      scope: "agent",
      server,
      status,
      ...(cause ? { cause } : {}),
    };
    for (const listener of listeners) listener(event);
  };
  const passTime = () => {
    for (const task of timers) task();
  };
  return { emit, passTime, end, stderr, logs, timers, listeners };
}

const ERASE = "\r\u001b[2K";

describe("progress while servers connect", () => {
  it("redraws one line on a terminal and takes it away at the end", () => {
    const scene = createScene(true);
    scene.emit("files", "connecting");
    scene.emit("web", "connecting");
    scene.emit("files", "connected");
    scene.passTime();
    scene.emit("web", "error", "refused\u001b[2J");
    scene.end();
    expect(scene.stderr.text().split(ERASE)).toEqual([
      "",
      "Connecting 0/1 up: files",
      "Connecting 0/2 up: files, web",
      "Connecting 1/2 up: web",
      "Connecting 1/2 up: web slow",
      "Connecting 1/2 up: web failed (refused\\x1b[2J)",
      "",
    ]);
    expect(scene.logs).toEqual([]);
  });

  it("names what is still awaited before what failed", () => {
    const scene = createScene(true);
    scene.emit("gone", "error", "not found");
    scene.emit("files", "connecting");
    expect(scene.stderr.text().split(ERASE).at(-1)).toBe("Connecting 0/2 up: files, gone failed (not found)");
    scene.end();
  });

  it("logs what takes long elsewhere", () => {
    const scene = createScene(false);
    scene.emit("files", "connecting");
    scene.passTime();
    scene.emit("files", "connected");
    scene.end();
    expect(scene.logs).toEqual(["info MCP server 'files' is slow: no answer after 3 s, still waiting"]);
    expect(scene.stderr.text()).toBe("");
  });

  it("leaves no timer and no subscription behind", () => {
    const scene = createScene(true);
    scene.emit("files", "connecting");
    scene.end();
    expect([scene.timers.size, scene.listeners.size]).toEqual([0, 0]);
  });

  it("does not tear log lines that come meanwhile", async () => {
    const stderr = createMemorySink();
    const line = createProgressLine(stderr, { live: true, columns: 20 });
    line.show("Connecting a very long line");
    await line.write("warn x\n");
    line.clear();
    await line.write("warn y\n");
    expect(stderr.text()).toBe(`${ERASE}Connecting a very…${ERASE}warn x\nConnecting a very…${ERASE}warn y\n`);
  });
});
