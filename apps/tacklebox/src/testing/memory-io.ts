import { Readable } from "node:stream";
import type { ExitCode } from "../exit-code.ts";
import type { Io, SignalName, Sink } from "../io.ts";

export interface MemorySink extends Sink {
  text(): string;
  bytes(): Uint8Array;
  /** Breaks the stream, as when its reader goes away. */
  breakOff(): void;
}

export function createMemorySink(): MemorySink {
  const gone = new AbortController();
  const written: Uint8Array[] = [];
  return {
    gone: gone.signal,
    async write(output) {
      if (!gone.signal.aborted) written.push(Buffer.from(output));
    },
    text: () => Buffer.concat(written).toString(),
    bytes: () => Buffer.concat(written),
    breakOff: () => gone.abort(Object.assign(new Error("broken pipe"), { code: "EPIPE" })),
  };
}

export interface MemoryIo extends Io {
  readonly stdout: MemorySink;
  readonly stderr: MemorySink;
  readonly exits: readonly ExitCode[];
  raise(name: SignalName): void;
}

/** A fake process: keeps what is written, and the test raises its signals. */
export function createMemoryIo(overrides: Partial<Io> = {}): MemoryIo {
  const listeners = new Map<SignalName, Set<() => void>>();
  const exits: ExitCode[] = [];
  const stdout = createMemorySink();
  return {
    env: {},
    platform: "linux",
    nodeVersion: "20.19.0",
    home: "/home/ada",
    cwd: "/project",
    stdin: Readable.from([]),
    stdinKind: "pipe-or-file",
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    columns: undefined,
    stderrColumns: undefined,
    terminal: undefined,
    control: {
      onSignal(name, listener) {
        const known = listeners.get(name) ?? new Set();
        listeners.set(name, known.add(listener));
        return () => known.delete(listener);
      },
      onExit: () => () => undefined,
      exitNow: (code) => void exits.push(code),
    },
    ...overrides,
    stdout,
    takeStdout: () => stdout,
    stderr: createMemorySink(),
    exits,
    raise: (name) => {
      for (const listener of listeners.get(name) ?? []) listener();
    },
  };
}
