import type { Readable } from "node:stream";
import type { ExitCode } from "./exit-code.ts";

/** One of the program's two output streams. */
export interface Sink {
  /** Resolves when the stream took it, or nobody reads it any more. Never rejects. */
  write(output: string | Uint8Array): Promise<void>;
  /** Aborted when the stream broke; the reason is the stream's error. */
  readonly gone: AbortSignal;
}

export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface ProcessControl {
  /** Returns the function that ends the subscription. */
  onSignal(name: SignalName, listener: () => void): () => void;
  /** Called last of all, however the process ends, short of being killed. Returns the function that ends the subscription. */
  onExit(listener: () => void): () => void;
  /** Ends the process at once; child processes are killed on the way out. */
  exitNow(code: ExitCode): void;
}

export interface CommandEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly cwd: string;
}

/**
 * Where input would come from. A shell closes its pipes and files by itself; programs that start others over sockets
 * often leave theirs open and say nothing.
 */
export type StdinKind = "terminal" | "pipe-or-file" | "socket";

/** The terminal a person sits at: their keys come from it and what they see goes to it. */
export interface Terminal {
  columns(): number;
  rows(): number;
  /** Returns the function that ends the subscription. */
  onResize(listener: () => void): () => void;
  /** Raw: every key comes at once, nothing is echoed, Ctrl-C is a key like any other. */
  setRaw(raw: boolean): void;
}

/** Everything a command may know of the process it runs in, so that commands can run inside a test as well. */
export interface Io extends CommandEnvironment {
  /** Of Node.js, such as 20.19.0. */
  readonly nodeVersion: string;
  readonly stdin: Readable;
  readonly stdinKind: StdinKind;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Stdout for one use alone: whatever else writes to it from now on, a library or a stray log, is written to stderr. */
  takeStdout(): Sink;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Width of the terminal that stdout is; undefined when it is none. */
  readonly columns: number | undefined;
  readonly stderrColumns: number | undefined;
  /** Undefined unless both stdin and stdout are one. */
  readonly terminal: Terminal | undefined;
  readonly control: ProcessControl;
}
