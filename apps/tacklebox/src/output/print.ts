import type { Failure, StartProblem } from "@tacklebox/core";
import type { CommonOptions } from "../command-options.ts";
import { type ExitCode, exitCodeOfFailure } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { choosePaint } from "./colour.ts";
import { printableJson, printableText } from "./printable.ts";
import type { TableStyle } from "./table.ts";

/** Prints one line of JSON for scripts. Escapes unprintable characters, which does not change the values. */
export function printJson(io: Io, value: object): Promise<void> {
  return io.stdout.write(jsonLine(value));
}

export function jsonLine(value: object): string {
  return `${printableJson(JSON.stringify(value))}\n`;
}

/** Prints texts on stderr, separated by blank lines. Makes them printable, as names in them may come from servers. */
export async function printProblems(io: Io, texts: readonly string[]): Promise<void> {
  if (texts.length > 0) await io.stderr.write(`${printableText(texts.join("\n\n"))}\n`);
}

type LogOptions = Pick<CommonOptions, "logFormat">;

export function printStartProblems(io: Io, problems: readonly StartProblem[], options: LogOptions): Promise<void> {
  return printProblems(io, startProblemTexts(problems, options));
}

/** The texts that a command has to print. None where the log was asked for as JSON, as it holds them already. */
export function startProblemTexts(problems: readonly StartProblem[], { logFormat }: LogOptions): readonly string[] {
  return logFormat === "json" ? [] : problems.map(({ text }) => text);
}

/** Prints why the engine failed, and returns the exit code. */
export async function printFailure(io: Io, failure: Failure): Promise<ExitCode> {
  await printProblems(io, [failure.message]);
  return exitCodeOfFailure(failure);
}

/** Returns a server's text unchanged for a file or pipe, and made printable for a terminal. */
export function forStream(text: string, isTerminal: boolean): string {
  const shown = isTerminal ? printableText(text) : text;
  return shown.endsWith("\n") ? shown : `${shown}\n`;
}

export function tableStyle(io: Io): TableStyle {
  return { paint: choosePaint(io.stdoutIsTerminal, io.env), columns: io.columns };
}
