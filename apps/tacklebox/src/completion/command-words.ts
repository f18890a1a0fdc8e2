import type { Parameter } from "../command-line/parameters.ts";
import type { CommandEntry } from "../command-line/row.ts";
import { COMPLETED_COMMANDS, kindOfFlag } from "./word-kinds.ts";

/** The words a shell can complete for one command. */
export interface CommandWords {
  /** The command as it is typed, such as `model list`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly OptionWords[];
  /** The values the first argument can take, where they are a fixed set. */
  readonly choices: readonly string[];
  /** Whether an argument is a name, such as a server's, that the program can be asked for. */
  readonly hasNames: boolean;
}

export interface OptionWords {
  /** The long flag, with its dashes. */
  readonly flag: string;
  readonly summary: string;
  /** A name is one that the program can be asked for. */
  readonly takes: "nothing" | "a file" | "a value" | "a name";
  readonly choices: readonly string[];
}

const HELP: OptionWords = { flag: "--help", summary: "show help", takes: "nothing", choices: [] };
const VERSION: OptionWords = { flag: "--version", summary: "show the version", takes: "nothing", choices: [] };

/** Lists the program itself, then every command of the table. Leaves out what help does not show. */
export function wordsOf(table: readonly CommandEntry[]): readonly CommandWords[] {
  const program = {
    path: "",
    commands: table.map(nameAndSummary),
    options: [VERSION, HELP],
    choices: [],
    hasNames: false,
  };
  return [program, ...table.flatMap((entry) => wordsOfEntry(entry, entry.name))];
}

function wordsOfEntry(entry: CommandEntry, path: string): readonly CommandWords[] {
  if (entry.kind === "group") {
    const below = entry.commands.flatMap((row) => wordsOfEntry(row, `${path} ${row.name}`));
    const commands = entry.commands.map(nameAndSummary);
    return [{ path, commands, options: [HELP], choices: [], hasNames: false }, ...below];
  }
  const takes = Object.values(entry.takes);
  const first = takes.find((parameter) => parameter.kind === "argument");
  const options = [...takes.flatMap((parameter) => toOption(parameter, path)), HELP];
  const below = entry.below.flatMap((row) => wordsOfEntry(row, `${path} ${row.name}`));
  const commands = entry.below.map(nameAndSummary);
  const hasNames = COMPLETED_COMMANDS.includes(path);
  return [{ path, commands, options, choices: first?.choices ?? [], hasNames }, ...below];
}

function nameAndSummary({ name, summary }: CommandEntry) {
  return { name, summary };
}

function toOption(parameter: Parameter<unknown>, command: string): readonly OptionWords[] {
  if (parameter.kind !== "option") return [];
  const { flags, summary, choices } = parameter;
  const [flag = flags] = flags.split(" ");
  return [{ flag, summary, takes: takenBy(flags, flag, command), choices }];
}

function takenBy(flags: string, flag: string, command: string): OptionWords["takes"] {
  if (kindOfFlag(command, flag) !== undefined) return "a name";
  if (flags.includes("<file>")) return "a file";
  return /[<[]/.test(flags) ? "a value" : "nothing";
}
