import { fileURLToPath } from "node:url";
import { startProcess } from "./running-process.ts";
import { temporaryFolder } from "./workspace.ts";

const program =
  process.env.TACKLEBOX_PROGRAM ?? fileURLToPath(new URL("../../apps/tacklebox/dist/main.js", import.meta.url));

/** Runs the built program on a pseudo-terminal of 80 columns; `screen` is everything the terminal was sent. */
export async function runOnTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const cwd = await temporaryFolder();
  const command = [process.execPath, program, ...args].map(quote).join(" ");
  const running = await startProcess("script", ["-qec", `stty cols 80; exec ${command}`, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: cwd, TERM: "xterm", SHELL: "/bin/sh", ...env },
  });
  running.endStdin();
  const { code, stdout } = await running.exit;
  // The terminal's own line ends.
  return { code, screen: stdout.replaceAll("\r\n", "\n") };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
