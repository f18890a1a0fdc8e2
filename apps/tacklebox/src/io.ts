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
  /** Ends the process at once; child processes are killed on the way out. */
  exitNow(code: ExitCode): void;
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly cwd: string;
}

/** Everything a command may know of the process it runs in, so that commands can run inside a test as well. */
export interface Io extends Surroundings {
  readonly stdin: Readable;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Width of the terminal that stdout is; undefined when it is none. */
  readonly columns: number | undefined;
  readonly stderrColumns: number | undefined;
  readonly control: ProcessControl;
}
