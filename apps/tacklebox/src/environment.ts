import { homedir } from "node:os";
import type { Io } from "./io.ts";
import { createSink } from "./output/sink.ts";
import { VAULT_VARIABLES } from "./vault-variables.ts";

/** The one place that reads the process: its environment, streams, folder and signals. */
export function readProcess(): Io {
  const env = { ...process.env };
  // Whatever else this process starts, or tells about itself, must not hold what opens the vault.
  for (const name of VAULT_VARIABLES) delete process.env[name];
  return {
    env,
    platform: process.platform,
    home: homedir(),
    cwd: process.cwd(),
    // Opened only when a command reads it: an unread stdin must not keep the process alive.
    get stdin() {
      return process.stdin;
    },
    stdout: createSink(process.stdout),
    stderr: createSink(process.stderr),
    stdoutIsTerminal: process.stdout.isTTY === true,
    stderrIsTerminal: process.stderr.isTTY === true,
    columns: widthOf(process.stdout),
    stderrColumns: widthOf(process.stderr),
    control: {
      onSignal(name, listener) {
        process.on(name, listener);
        return () => process.off(name, listener);
      },
      exitNow: (code) => process.exit(code),
    },
  };
}

// Some terminals say that they are 0 wide, meaning that they do not know.
function widthOf(stream: NodeJS.WriteStream): number | undefined {
  return stream.isTTY ? stream.columns || 80 : undefined;
}
