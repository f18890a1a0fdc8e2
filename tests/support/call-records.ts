import { z } from "zod";
import { runProgram } from "./program.ts";

const CallRecords = z.object({ calls: z.array(z.record(z.string(), z.unknown())) });

/** Returns what `tacklebox calls` lists for a data folder, newest first. */
export async function callRecords(data: string, ...filters: readonly string[]): Promise<Record<string, unknown>[]> {
  const { stdout } = await runProgram(["calls", "--json", ...filters], { env: { TACKLEBOX_DATA: data } });
  return CallRecords.parse(JSON.parse(stdout)).calls;
}
