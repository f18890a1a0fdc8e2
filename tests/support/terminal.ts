import { execFile } from "node:child_process";
import { readlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { childrenOf, until } from "./processes.ts";
import { coverageEnv } from "./program.ts";
import { type Exit, type RunningProcess, startProcess } from "./running-process.ts";
// biome-ignore lint/correctness/useImportExtensions: its types are beside it in a file with another extension
import { createVirtualTerminal } from "./virtual-terminal.mjs";
import { temporaryFolder } from "./workspace.ts";

const program =
  process.env.TACKLEBOX_PROGRAM ?? fileURLToPath(new URL("../../apps/tacklebox/dist/main.js", import.meta.url));

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Defaults to 80. */
  readonly columns?: number;
  /** Defaults to the built program. */
  readonly script?: string;
  /** The command that runs the script; defaults to this Node. */
  readonly launcher?: readonly string[];
  /** Defaults to a new empty folder. */
  readonly cwd?: string;
  /** A shell command to run after the program on the same terminal. */
  readonly afterwards?: string;
}

/** Runs the built program on a pseudo-terminal of 80 columns; `screen` is everything the terminal was sent. */
export async function runOnTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const running = await startScript(args, { env });
  running.endStdin();
  const { code, stdout } = await running.exit;
  // Terminals end lines with CR LF.
  return { code, screen: stdout.replaceAll("\r\n", "\n") };
}

/** A program on a pseudo-terminal, driven like a person would. */
export interface TerminalSession {
  readonly pid: number;
  type(keys: string): void;
  /** Waits until each text was sent to the terminal, ignoring colours, after the text of the previous wait. */
  sees(...texts: readonly (string | RegExp)[]): Promise<void>;
  /** The lines now on the terminal, from its first one. */
  lines(): readonly string[];
  /** Everything sent to the terminal. */
  sent(): string;
  /** Sequences that the virtual terminal does not know. */
  unknown(): readonly string[];
  cursor(): { readonly row: number; readonly column: number };
  resize(columns: number): Promise<void>;
  /** Signals the program itself. */
  kill(signal: NodeJS.Signals): void;
  readonly exit: Promise<Exit>;
}

export async function startOnTerminal(
  args: readonly string[],
  options: TerminalOptions = {},
): Promise<TerminalSession> {
  const { columns = 80 } = options;
  const running = await startScript(args, options);
  const shown = createVirtualTerminal({ columns, rows: ROWS });
  let fed = 0;
  let seen = 0;

  /** Feeds the virtual terminal what was sent since the last time, and returns it. */
  function screen() {
    const text = running.stdout();
    shown.feed(text.slice(fed));
    fed = text.length;
    return shown;
  }

  /** Waits for a text and returns the position of its end in what was sent. */
  async function find(wanted: string | RegExp): Promise<number> {
    let hasEnded = false;
    void running.exit.then(() => {
      hasEnded = true;
    });
    const explain = (why: string) => new Error(`${why}; the terminal shows:\n${screen().lines().join("\n")}`);
    const look = () => {
      const isLast = hasEnded;
      const end = endOf(wanted, plainText(running.stdout()), seen);
      if (end === undefined && isLast) throw new Error(`it ended without ${String(wanted)}`);
      return end === undefined ? undefined : { end };
    };
    const found = await until(look, { describe: String(wanted) }).catch((error: unknown) => {
      throw explain(String(error));
    });
    return found.end;
  }

  return {
    pid: running.pid,
    type: (keys) => running.write(keys),
    async sees(...texts) {
      for (const text of texts) seen = await find(text);
    },
    lines: () => screen().lines(),
    sent: () => running.stdout().replaceAll("\r\n", "\n"),
    unknown: () => screen().unknown(),
    cursor: () => screen().cursor(),
    async resize(to) {
      screen();
      shown.resize(to);
      const [child] = childrenOf(running.pid);
      const device = readlinkSync(`/proc/${child}/fd/0`);
      await promisify(execFile)("stty", ["-F", device, "cols", String(to)]);
    },
    kill(signal) {
      for (const child of childrenOf(running.pid)) process.kill(child, signal);
    },
    exit: running.exit,
  };
}

const ROWS = 24;

async function startScript(
  args: readonly string[],
  { env = {}, columns = 80, script = program, launcher = [process.execPath], afterwards, ...options }: TerminalOptions,
): Promise<RunningProcess> {
  const cwd = options.cwd ?? (await temporaryFolder());
  const command = [...launcher, script, ...args].map(quote).join(" ");
  const ending = afterwards === undefined ? `exec ${command}` : `${command}; code=$?; ${afterwards}; exit $code`;
  const line = `stty cols ${columns} rows ${ROWS}; ${ending}`;
  return startProcess("script", ["-qfec", line, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: cwd, TERM: "xterm", SHELL: "/bin/sh", ...coverageEnv(), ...env },
  });
}

function endOf(wanted: string | RegExp, text: string, from: number): number | undefined {
  if (typeof wanted === "string") {
    const at = text.indexOf(wanted, from);
    return at === -1 ? undefined : at + wanted.length;
  }
  const found = wanted.exec(text.slice(from));
  return found === null ? undefined : from + found.index + found[0].length;
}

function plainText(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
  return output.replaceAll("\r\n", "\n").replaceAll(/\u001b\[\d+m/g, "");
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
