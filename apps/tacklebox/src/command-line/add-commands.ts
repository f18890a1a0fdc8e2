import { type AddHelpTextContext, Argument, type Command, Option } from "commander";
import type { ArgumentParameter, OptionParameter, Parameter } from "./parameters.ts";
import { reflow } from "./reflow.ts";
import type { CommandEntry, CommandGroup, CommandRow, Values } from "./row.ts";

/** Runs a row with the values that were given. `command` reports usage errors. */
export type Perform = (row: CommandRow, given: Values, command: Command) => Promise<void>;

/** Adds the commands of the table to the parser. */
export function addCommands(program: Command, entries: readonly CommandEntry[], perform: Perform): void {
  for (const entry of entries) {
    if (entry.kind === "group") addGroup(program, entry, perform);
    else addCommand(program, entry, perform);
  }
}

/** A group's help ends with an example of each of its commands. */
function addGroup(program: Command, { name, summary, section, commands }: CommandGroup, perform: Perform): void {
  const examples = commands.map(({ example }) => `  ${firstOf(example)}`);
  const parent = program
    .command(name)
    .description(summary)
    .helpGroup(`${section}:`)
    .helpCommand("help [command]", "show how to use one of these commands")
    .showHelpAfterError(`Try \`${program.name()} ${name} --help\`.`)
    .addHelpText("after", withWidth(["\nExamples:", ...examples].join("\n")));
  for (const row of commands) addCommand(parent, row, perform);
}

/** The first of several examples, with the lines it goes on in. */
function firstOf(example: string): string {
  return example.split("\n  tacklebox", 1)[0] ?? example;
}

function addCommand(parent: Command, row: CommandRow, perform: Perform): void {
  const command = parent
    .command(row.name)
    .description(row.summary)
    .addHelpText("after", withWidth(describeUse(row)));
  if (row.section !== undefined) command.helpGroup(`${row.section}:`);
  if (row.json !== undefined)
    command.showHelpAfterError(`Try \`${[...namesAbove(parent), row.name].join(" ")} --help\`.`);

  const readers = Object.entries(row.takes).map(
    ([key, parameter]) => [key, addParameter(command, key, parameter)] as const,
  );
  if (row.below.length > 0) {
    // Otherwise it would take the options of the commands below for its own, and so would those above.
    for (let above: Command | null = command; above !== null; above = above.parent) above.enablePositionalOptions();
    for (const next of row.below) addCommand(command, next, perform);
  }
  command.action(() => perform(row, Object.fromEntries(readers.map(([key, read]) => [key, read()])), command));
}

/** Returns a function that reads the parameter's value once the line is parsed. */
function addParameter(command: Command, key: string, parameter: Parameter<unknown>): () => unknown {
  switch (parameter.kind) {
    case "argument": {
      const place = command.registeredArguments.length;
      command.addArgument(toArgument(key, parameter));
      return () => command.processedArgs[place];
    }
    case "option":
      return addOption(command, toOption(parameter));
    case "hidden-option":
      return addOption(command, new Option(parameter.flags).hideHelp());
    case "extra-arguments":
      command.allowExcessArguments();
      return () => command.args.slice(command.registeredArguments.length);
  }
}

/** The shape of the JSON comes last: it is for those who write scripts. */
function describeUse({ example, json, more }: CommandRow): string {
  const paragraphs = [`\nExample:\n  ${example}`];
  if (more !== undefined) paragraphs.push(more);
  if (json !== undefined) paragraphs.push(`\nJSON:\n  ${json}`);
  return paragraphs.join("\n");
}

function withWidth(text: string): (context: AddHelpTextContext) => string {
  return ({ command, error }) => reflow(text, helpWidth(command, error ? "error" : "output"));
}

/** Long lines are hard to read, however wide the terminal is. */
const WIDEST = 100;

/** How wide texts below the list of options may be. */
export function helpWidth(command: Command, stream: "output" | "error"): number {
  const { getOutHelpWidth, getErrHelpWidth } = command.configureOutput();
  return Math.min(WIDEST, (stream === "error" ? getErrHelpWidth?.() : getOutHelpWidth?.()) ?? WIDEST);
}

function addOption(command: Command, option: Option): () => unknown {
  command.addOption(option);
  return () => command.getOptionValue(option.attributeName());
}

const WRITTEN = {
  required: (name) => `<${name}>`,
  optional: (name) => `[${name}]`,
  "any number": (name) => `[${name}...]`,
} as const satisfies Record<ArgumentParameter<unknown>["presence"], (name: string) => string>;

function toArgument(name: string, { presence, summary, choices }: ArgumentParameter<unknown>): Argument {
  const argument = new Argument(WRITTEN[presence](name), summary);
  return choices.length === 0 ? argument : argument.choices(choices);
}

function toOption({ flags, summary, choices, parse, fallback }: OptionParameter<unknown>): Option {
  const option = new Option(flags, summary);
  if (choices.length > 0) option.choices(choices);
  if (parse !== undefined) option.argParser(parse);
  if (fallback !== undefined) option.default(fallback);
  return option;
}

function namesAbove(command: Command): readonly string[] {
  return command.parent === null ? [command.name()] : [...namesAbove(command.parent), command.name()];
}
