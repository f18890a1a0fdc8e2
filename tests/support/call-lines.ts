import { runProgram } from "./program.ts";
import { parsed } from "./toolbox-file.ts";

export interface CallLine {
  readonly server?: string;
  readonly tool: string;
  readonly arguments?: object;
}

/** Makes every call in one run of `call --stdin` and returns the outcomes in the order of the lines. */
export async function callLines(
  config: string,
  lines: readonly CallLine[],
  env: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>[]> {
  const stdin = lines.map((line, id) => `${JSON.stringify({ id, ...line })}\n`).join("");
  const { code, stdout, stderr } = await runProgram(["call", "--stdin", "--config", config], { stdin, env });
  if (code !== 0) throw new Error(`call --stdin ended with ${code}: ${stderr}`);
  const outcomes = stdout.trim().split("\n").map(parsed);
  return outcomes.sort((a, b) => Number(a.id) - Number(b.id));
}
