import { InvalidArgumentError } from "commander";

/** An argument or option of a command: its spelling, its help text, and how its value is parsed. */
export type Parameter<T> = ArgumentParameter<T> | OptionParameter<T> | HiddenOption<T> | ExtraArguments<T>;

interface Readable<T> {
  /** Converts the parser's value to the command's. */
  readonly read: (given: unknown) => T;
}

/** A positional argument. Help names it by its key in the row. */
export interface ArgumentParameter<T> extends Readable<T> {
  readonly kind: "argument";
  readonly presence: "required" | "optional" | "any number";
  readonly summary: string;
  /** The allowed values; empty allows any. */
  readonly choices: readonly string[];
}

export interface OptionParameter<T> extends Readable<T> {
  readonly kind: "option";
  /** The flags as help shows them, such as `--limit <count>`. */
  readonly flags: string;
  readonly summary: string;
  /** The allowed values; empty allows any. */
  readonly choices: readonly string[];
  /** Throws InvalidArgumentError for an invalid value. `before` is the result for an earlier use of the same option. */
  readonly parse?: (value: string, before: unknown) => unknown;
  /** The default that help shows. */
  readonly fallback?: string | number;
}

/** An option that is accepted, but neither shown by help nor completed by shells. */
export interface HiddenOption<T> extends Readable<T> {
  readonly kind: "hidden-option";
  readonly flags: string;
}

/** All arguments after the last named one. Commands without this parameter reject them. */
export interface ExtraArguments<T> extends Readable<T> {
  readonly kind: "extra-arguments";
}

export function argument(summary: string): ArgumentParameter<string> {
  return { kind: "argument", presence: "required", summary, choices: [], read: readRequired };
}

export function optionalArgument(summary: string): ArgumentParameter<string | undefined> {
  return { kind: "argument", presence: "optional", summary, choices: [], read: readText };
}

/** All words after the arguments before it. */
export function anyArguments(summary: string): ArgumentParameter<readonly string[]> {
  return { kind: "argument", presence: "any number", summary, choices: [], read: readTexts };
}

export function argumentOneOf<const C extends string>(summary: string, choices: readonly C[]): ArgumentParameter<C> {
  const read = (given: unknown): C => {
    const chosen = choices.find((choice) => choice === given);
    if (chosen === undefined) throw new Error(`The parser let '${String(given)}' through: ${summary}`);
    return chosen;
  };
  return { kind: "argument", presence: "required", summary, choices, read };
}

export function hiddenOption(flags: string): HiddenOption<unknown> {
  return { kind: "hidden-option", flags, read: (given) => given };
}

export function extraArguments(): ExtraArguments<readonly string[]> {
  return { kind: "extra-arguments", read: readTexts };
}

export function text(flags: string, summary: string): OptionParameter<string | undefined> {
  return { kind: "option", flags, summary, choices: [], read: readText };
}

/** May be given more than once. */
export function texts(flags: string, summary: string): OptionParameter<readonly string[]> {
  return parsedEach(flags, summary, (value) => value);
}

export function flag(flags: string, summary: string): OptionParameter<boolean> {
  return { kind: "option", flags, summary, choices: [], read: (given) => given === true };
}

/** For `--no-…` flags: true unless given. */
export function negatedFlag(flags: string, summary: string): OptionParameter<boolean> {
  return { kind: "option", flags, summary, choices: [], read: (given) => given !== false };
}

export function oneOf<const C extends string>(
  flags: string,
  summary: string,
  choices: readonly C[],
): OptionParameter<C | undefined> {
  return { kind: "option", flags, summary, choices, read: (given) => choices.find((choice) => choice === given) };
}

/** Reads as `fallback` when left out, which help shows. */
export function oneOfOr<const C extends string>(
  flags: string,
  summary: string,
  choices: readonly C[],
  fallback: C,
): OptionParameter<C> {
  const read = (given: unknown): C => choices.find((choice) => choice === given) ?? fallback;
  return { kind: "option", flags, summary, choices, fallback, read };
}

/** A limit: a whole number of at least 1. */
export function count(flags: string, summary: string, fallback: number): OptionParameter<number> {
  const { parse, read } = parsed(flags, summary, parseCount);
  return { kind: "option", flags, summary, choices: [], parse, fallback, read: (given) => read(given) ?? fallback };
}

/** `parse` throws InvalidArgumentError for an invalid value. */
export function parsed<T>(flags: string, summary: string, parse: (value: string) => T) {
  return {
    kind: "option",
    flags,
    summary,
    choices: [],
    // Parsed once to report errors and again to get the typed value, since the parser keeps values untyped.
    parse: (value: string): string => {
      parse(value);
      return value;
    },
    read: (given: unknown): T | undefined => (typeof given === "string" ? parse(given) : undefined),
  } as const satisfies OptionParameter<T | undefined>;
}

/** May be given more than once. `parse` throws InvalidArgumentError for an invalid value. */
export function parsedEach<T>(
  flags: string,
  summary: string,
  parse: (value: string) => T,
): OptionParameter<readonly T[]> {
  return {
    kind: "option",
    flags,
    summary,
    choices: [],
    parse(value, before) {
      parse(value);
      return [...readTexts(before), value];
    },
    read: (given) => readTexts(given).map(parse),
  };
}

function readRequired(given: unknown): string {
  if (typeof given !== "string") throw new Error("The parser let a required argument be absent");
  return given;
}

function readText(given: unknown): string | undefined {
  return typeof given === "string" ? given : undefined;
}

function readTexts(given: unknown): readonly string[] {
  return Array.isArray(given) ? given.filter((item) => typeof item === "string") : [];
}

function parseCount(value: string): number {
  const number = Number(value);
  if (!/^\d{1,6}$/.test(value) || number < 1)
    throw new InvalidArgumentError("It must be a whole number from 1 to 999999.");
  return number;
}
