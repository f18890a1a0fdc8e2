import { readFile } from "node:fs/promises";
import { until } from "./processes.ts";

export interface GaugeEvent {
  readonly event: "start" | "cancel" | "end";
  readonly tool: string;
  readonly pid: number;
}

/** Returns what the gauge fixture has logged so far; empty while the file does not exist. */
export async function gaugeEvents(file: string): Promise<GaugeEvent[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** Waits until the server has started `count` calls. */
export async function untilStarted(file: string, count: number): Promise<void> {
  const started = async () => (await gaugeEvents(file)).filter(({ event }) => event === "start").length >= count;
  await until(started, { describe: `${count} calls to start` });
}
