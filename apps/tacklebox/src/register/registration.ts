import { type Command, Option } from "commander";
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

export function addCommand(parent: Command, name: string, summary: string, help: CommandHelp): Command {
  return parent
    .command(name)
    .description(summary)
    .option("--config <file>", "the config file")
    .option("--json", "print JSON")
    .addOption(new Option("--log-level <level>", "what to log on stderr").choices(LOG_LEVELS))
    .addOption(new Option("--log-format <format>", "how to log; text on a terminal, else json").choices(LOG_FORMATS))
    .addHelpText("after", `\nExample:\n  ${help.example}\n\nJSON:\n  ${help.json}${help.more ? `\n${help.more}` : ""}`);
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
