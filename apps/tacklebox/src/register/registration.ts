import { type Command, InvalidArgumentError, Option } from "commander";
import { type CommonOptions, type Context, LOG_FORMATS, LOG_LEVELS } from "../command-options.ts";
import type { ExitCode } from "../exit-code.ts";

/** What the parser gives: option values that nothing has narrowed yet. */
export type Values = Readonly<Record<string, unknown>>;

export interface CommandHelp {
  readonly example: string;
  /** The shape of what `--json` prints. */
  readonly json: string;
  readonly more?: string;
}

/** What a group of commands needs to put itself on the command line. */
export interface Registration {
  /** A command with the options every command has. */
  readonly addCommand: (name: string, summary: string, help: CommandHelp) => Command;
  readonly context: () => Promise<Context>;
  readonly exitWith: (code: ExitCode) => void;
}

/** A command that only holds others. Below its help come their examples. */
export function addGroup(program: Command, name: string, summary: string): Command {
  return program
    .command(name)
    .description(summary)
    .showHelpAfterError(`Try \`${program.name()} ${name} --help\`.`)
    .addHelpText("after", "\nExamples:");
}

export function addCommand(parent: Command, name: string, summary: string, help: CommandHelp): Command {
  const isInGroup = parent.parent !== null;
  if (isInGroup) parent.addHelpText("after", `  ${help.example}`);
  return parent
    .command(name)
    .description(summary)
    .showHelpAfterError(`Try \`${[...namesAbove(parent), name].join(" ")} --help\`.`)
    .option("--config <file>", "the config file")
    .option("--json", "print JSON")
    .addOption(new Option("--log-level <level>", "what to log on stderr").choices(LOG_LEVELS))
    .addOption(new Option("--log-format <format>", "how to log; text on a terminal, else json").choices(LOG_FORMATS))
    .addHelpText("after", `\nExample:\n  ${help.example}\n\nJSON:\n  ${help.json}${help.more ? `\n${help.more}` : ""}`);
}

function namesAbove(command: Command): readonly string[] {
  return command.parent === null ? [command.name()] : [...namesAbove(command.parent), command.name()];
}

export function toCommon(options: Values): CommonOptions {
  return {
    config: text(options.config),
    json: options.json === true,
    logLevel: LOG_LEVELS.find((level) => level === options.logLevel),
    logFormat: LOG_FORMATS.find((format) => format === options.logFormat),
  };
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** For an option that may be given more than once. */
export function gather(value: string, previous: unknown): readonly string[] {
  return [...texts(previous), value];
}

export function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function parseCount(value: string): number {
  const count = Number(value);
  if (!/^\d{1,6}$/.test(value) || count < 1)
    throw new InvalidArgumentError("It must be a whole number from 1 to 999999.");
  return count;
}
