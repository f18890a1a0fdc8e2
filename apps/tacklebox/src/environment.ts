import { homedir } from "node:os";
import type { Io } from "./io.ts";
import { createSink } from "./output/sink.ts";

/** The one place that reads the process: its environment, streams, folder and signals. */
export function readProcess(): Io {
  return {
    env: { ...process.env },
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
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    control: {
      onSignal(name, listener) {
        process.on(name, listener);
        return () => process.off(name, listener);
      },
      exitNow: (code) => process.exit(code),
    },
  };
}
