import { fstatSync } from "node:fs";
import { homedir } from "node:os";
import { isatty } from "node:tty";
import type { Io, Sink, StdinKind, Terminal } from "./io.ts";
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
    nodeVersion: process.versions.node,
    home: homedir(),
    cwd: process.cwd(),
    // Opened only when a command reads it: an unread stdin must not keep the process alive.
    get stdin() {
      return process.stdin;
    },
    // Asked of the system: asking the stream would open it.
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
    // There is none; reading it finds its end at once.
    return "pipe-or-file";
  }
}

// Some terminals say that they are 0 wide, meaning that they do not know.
function widthOf(stream: NodeJS.WriteStream): number | undefined {
  return stream.isTTY ? stream.columns || 80 : undefined;
}
