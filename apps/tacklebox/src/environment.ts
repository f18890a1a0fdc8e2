import { fstatSync } from "node:fs";
import { homedir } from "node:os";
import { isatty } from "node:tty";
import type { Io, Sink, StdinKind, Terminal } from "./io.ts";
import { createSink } from "./output/sink.ts";
import { readVariables } from "./variables/variable-names.ts";
import { VAULT_VARIABLES } from "./variables/vault-variables.ts";

/** The one place that reads the process: its environment, streams, folder and signals. */
export function readProcess(): Io {
  const env = readVariables({ ...process.env }, process.platform);
  // The keys that open the vault must not reach child processes, nor reports that dump the environment.
  for (const name of VAULT_VARIABLES) delete process.env[name];
  return {
    env,
    platform: process.platform,
    nodeVersion: process.versions.node,
    home: homedir(),
    cwd: process.cwd(),
    // A getter, so that stdin is opened only when a command reads it: an unread stdin must not keep the process alive.
    get stdin() {
      return process.stdin;
    },
    // Asks the system rather than the stream, because touching the stream would open it.
    get stdinKind() {
      return kindOfStdin();
    },
    stdout: createSink(process.stdout),
    stderr: createSink(process.stderr),
    takeStdout,
    stdoutIsTerminal: process.stdout.isTTY === true,
    stderrIsTerminal: process.stderr.isTTY === true,
    columns: widthOf(process.stdout),
    stderrColumns: widthOf(process.stderr),
    get terminal() {
      return isatty(0) && process.stdout.isTTY ? createTerminal() : undefined;
    },
    control: {
      onSignal(name, listener) {
        process.on(name, listener);
        return () => process.off(name, listener);
      },
      onExit(listener) {
        process.on("exit", listener);
        return () => process.off("exit", listener);
      },
      exitNow: (code) => process.exit(code),
    },
  };
}

function createTerminal(): Terminal {
  return {
    columns: () => process.stdout.columns || 80,
    rows: () => process.stdout.rows || 24,
    onResize(listener) {
      process.stdout.on("resize", listener);
      return () => process.stdout.off("resize", listener);
    },
    setRaw: (raw) => void process.stdin.setRawMode(raw),
  };
}

function takeStdout(): Sink {
  const write = process.stdout.write.bind(process.stdout);
  const sink = createSink(process.stdout, (output, done) => void write(output, () => done()));
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return sink;
}

function kindOfStdin(): StdinKind {
  if (isatty(0)) return "terminal";
  try {
    return fstatSync(0).isSocket() ? "socket" : "pipe-or-file";
  } catch {
    // There is no stdin; reading it ends at once.
    return "pipe-or-file";
  }
}

// Some terminals report a width of 0, meaning that they do not know it.
function widthOf(stream: NodeJS.WriteStream): number | undefined {
  return stream.isTTY ? stream.columns || 80 : undefined;
}
