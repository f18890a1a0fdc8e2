import type { Readable } from "node:stream";
import type { ExitCode } from "./exit-code.ts";

/** One of the program's two output streams. */
export interface Sink {
  /** Resolves when the stream has taken the output, or its reader has gone away. Never rejects. */
  write(output: string | Uint8Array): Promise<void>;
  /** Aborted when the stream breaks; the reason is the stream's error. */
  readonly gone: AbortSignal;
}

export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface ProcessControl {
  /** Returns a function that removes the listener. */
  onSignal(name: SignalName, listener: () => void): () => void;
  /** Calls the listener right before the process exits, unless it is killed. Returns a function that removes it. */
  onExit(listener: () => void): () => void;
  /** Ends the process at once and kills its child processes. */
  exitNow(code: ExitCode): void;
}

export interface CommandEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly cwd: string;
}

/**
 * What stdin is connected to. A shell closes its pipes and files; a program that starts others over sockets often
 * leaves stdin open without ever writing to it.
 */
export type StdinKind = "terminal" | "pipe-or-file" | "socket";

/** The terminal a person sits at. */
export interface Terminal {
  columns(): number;
  rows(): number;
  /** Returns a function that removes the listener. */
  onResize(listener: () => void): () => void;
  /** In raw mode every key arrives at once, nothing is echoed, and Ctrl-C is a key like any other. */
  setRaw(raw: boolean): void;
}

/** Everything a command may know about the process it runs in. Tests pass one of their own. */
export interface Io extends CommandEnvironment {
  /** The version of Node.js, such as 20.19.0. */
  readonly nodeVersion: string;
  readonly stdin: Readable;
  readonly stdinKind: StdinKind;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Claims stdout for the returned sink alone. Anything else written to it, such as a stray log, goes to stderr. */
  takeStdout(): Sink;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Width of the terminal that stdout is connected to; undefined when it is not a terminal. */
  readonly columns: number | undefined;
  readonly stderrColumns: number | undefined;
  /** Undefined unless both stdin and stdout are terminals. */
  readonly terminal: Terminal | undefined;
  readonly control: ProcessControl;
}
