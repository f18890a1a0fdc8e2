import { readProcess } from "./environment.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { runProgram } from "./program.ts";

const io = readProcess();
const exitCode = await runToEnd(process.argv.slice(2), io);
// A handle that a library left open must not keep a finished command alive.
process.exit(exitCode);

async function runToEnd(argv: readonly string[], io: Io): Promise<ExitCode> {
  const exitCode = await runProgram(argv, io).catch(async (error: unknown) => {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    await io.stderr.write(`Tacklebox stopped because of an internal error. Please report it.\n${detail}\n`);
    return EXIT.couldNotStart;
  });
  await Promise.all([io.stdout.write(""), io.stderr.write("")]);
  if (!io.stdout.gone.aborted || hasCode(io.stdout.gone.reason, "EPIPE")) return exitCode;
  await io.stderr.write(`Cannot write the output: ${String(io.stdout.gone.reason)}\n`);
  return EXIT.couldNotStart;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
