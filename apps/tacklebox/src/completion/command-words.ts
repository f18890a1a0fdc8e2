import type { Command } from "commander";

/** A command as far as completing it goes. */
export interface CommandWords {
  /** As it is typed, such as `model list`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly OptionWords[];
  /** What the first argument may be, where only a few things may. */
  readonly choices: readonly string[];
}

export interface OptionWords {
  /** With its dashes. */
  readonly flag: string;
  readonly summary: string;
  readonly takes: "nothing" | "a file" | "a value";
  readonly choices: readonly string[];
}

/** Every command of the tree, the program itself first. What help does not show is left out. */
export function wordsOfTree(command: Command, path = ""): readonly CommandWords[] {
  const below = command.commands.flatMap((one) => wordsOfTree(one, `${path} ${one.name()}`.trim()));
  return [
    {
      path,
      commands: command.commands.map((one) => ({ name: one.name(), summary: one.description() })),
      options: optionsOf(command),
      choices: command.registeredArguments[0]?.argChoices ?? [],
    },
    ...below,
  ];
}

function optionsOf(command: Command): readonly OptionWords[] {
  const help: OptionWords = { flag: "--help", summary: "show help", takes: "nothing", choices: [] };
  const own = command.options.flatMap(({ long, flags, description, hidden, argChoices = [] }) => {
    if (long === undefined || long === null || hidden) return [];
    return [{ flag: long, summary: description, takes: takenBy(flags), choices: argChoices }];
  });
  return [...own, help];
}

function takenBy(flags: string): OptionWords["takes"] {
  if (flags.includes("<file>")) return "a file";
  return /[<[]/.test(flags) ? "a value" : "nothing";
}
