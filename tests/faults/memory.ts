import { readFileSync, writeFileSync } from "node:fs";

/** How far above its present size a process grows while `work` runs, in bytes. */
export async function growthDuring(pid: number, work: () => Promise<void>): Promise<number> {
  // The highest mark starts again from what is resident now.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = memoryOf(pid, "VmRSS");
  await work();
  return memoryOf(pid, "VmHWM") - before;
}

function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  if (found?.[1] === undefined) throw new Error(`process ${pid} has no ${field}`);
  return Number(found[1]) * 1024;
}
