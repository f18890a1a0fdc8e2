import type { Failure, StartProblem } from "@tacklebox/core";
import { type ExitCode, exitCodeOfFailure } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { choosePaint } from "./colour.ts";
import { printableJson, printableText } from "./printable.ts";
import type { TableLook } from "./table.ts";

/** Prints what a script reads: one line of JSON, its values untouched. */
export function printJson(io: Io, value: object): Promise<void> {
  return io.stdout.write(`${printableJson(JSON.stringify(value))}\n`);
}

/** Texts for people on stderr, a blank line between them. Names in them may come from servers, so marks are made visible. */
export async function printProblems(io: Io, texts: readonly string[]): Promise<void> {
  if (texts.length > 0) await io.stderr.write(`${printableText(texts.join("\n\n"))}\n`);
}

export function printStartProblems(io: Io, problems: readonly StartProblem[]): Promise<void> {
  return printProblems(
    io,
    problems.map(({ text }) => text),
  );
}

/** Says why the engine could not do it, and what the program ends with. */
export async function printFailure(io: Io, failure: Failure): Promise<ExitCode> {
  await printProblems(io, [failure.message]);
  return exitCodeOfFailure(failure);
}

/** What a server said, as it is where a program reads it and made safe where a person looks. */
export function forStream(text: string, isTerminal: boolean): string {
  const shown = isTerminal ? printableText(text) : text;
  return shown.endsWith("\n") ? shown : `${shown}\n`;
}

export function tableLook(io: Io): TableLook {
  return { paint: choosePaint(io.stdoutIsTerminal, io.env), columns: io.columns };
}
