import { readFileSync, writeFileSync } from "node:fs";

/** Returns by how many bytes a process grows at its peak while `work` runs. */
export async function growthDuring(pid: number, work: () => Promise<void>): Promise<number> {
  // Resets the peak to the memory resident now.
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
