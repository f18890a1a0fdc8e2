import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startProcess } from "../support/running-process.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { attach, type FaultConfig, type FaultProgram, writeFaultConfig } from "./fault-program.ts";

const built = fileURLToPath(new URL("../../apps/tacklebox/dist/main.js", import.meta.url));

/**
 * Starts `call --stdin` under a limit that a line of shell sets first. DATA in that line stands for the data folder.
 */
export async function startLimited(
  limit: string,
  config: FaultConfig,
  prefix: readonly string[] = [],
): Promise<FaultProgram> {
  const folder = await temporaryFolder();
  const data = join(folder, "data");
  const { file, marker } = await writeFaultConfig(config);
  const program = process.env.TACKLEBOX_PROGRAM ?? built;
  const script = `${limit} && exec "$@"`;
  const command = ["sh", "-c", script, "sh", process.execPath, program, "call", "--stdin", "--config", file];
  const [first = "sh", ...rest] = [...prefix, ...command];
  const env = { PATH: process.env.PATH ?? "", HOME: folder, TACKLEBOX_DATA: data, DATA: data, ...config.env };
  return attach(await startProcess(first, rest, { cwd: folder, env }), { data, config: file, marker });
}
