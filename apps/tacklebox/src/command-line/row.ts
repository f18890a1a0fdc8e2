import { type CommonOptions, type Context, LOG_FORMATS, LOG_LEVELS } from "../command-options.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Section } from "./overview.ts";
import { flag, oneOf, type Parameter, text } from "./parameters.ts";

/** The name and the help of a command. */
interface CommandText {
  readonly name: string;
  readonly summary: string;
  readonly example: string;
  /**
   * The shape of what `--json` prints. A command without one reads no config and has none of the common options.
   */
  readonly json?: string;
  /** The end of its help. */
  readonly more?: string;
  /** Where `tacklebox --help` lists it; "Upkeep" if absent. A command below another is not listed there. */
  readonly section?: Section;
}

/** A row of the command table: everything about a command except its implementation, which is loaded when it runs. */
export interface CommandRow extends CommandText {
  readonly kind: "command";
  readonly takes: Readonly<Record<string, Parameter<unknown>>>;
  /** Commands below it, such as `calls verify`, which is implemented in `commands/calls/verify.ts`. */
  readonly below: readonly CommandRow[];
  /** Runs the command. `given` holds the parser's value for each key of `takes`. */
  readonly start: (context: Context, given: Values) => Promise<Started>;
}

/** Commands that share a first word, such as `gpt list` and `gpt add`. Their names are added to the summary. */
export interface CommandGroup {
  readonly kind: "group";
  readonly name: string;
  readonly summary: string;
  readonly section: Section;
  readonly commands: readonly CommandRow[];
}

export type CommandEntry = CommandRow | CommandGroup;

export type Values = Readonly<Record<string, unknown>>;

/** A refusal is a usage error: nothing was loaded or done. */
export type Started =
  | { readonly kind: "ended"; readonly exitCode: ExitCode }
  | { readonly kind: "refused"; readonly message: string };

/** Imports the file in `commands/` that implements the row. */
type Load<O> = () => Promise<{ readonly run: (context: Context, options: O) => Promise<ExitCode> }>;

/** The parameters of a command's `run`, without the common options. */
type Takes<O> = { readonly [K in Exclude<keyof O, keyof CommonOptions>]: Parameter<O[K]> };

type Read<T> = { readonly [K in keyof T]: T[K] extends Parameter<infer V> ? V : never };

const COMMON_OPTIONS: { readonly [K in keyof CommonOptions]: Parameter<CommonOptions[K]> } = {
  config: text("--config <file>", "use this config file"),
  json: flag("--json", "print JSON"),
  logLevel: oneOf("--log-level <level>", "log this and worse to stderr", LOG_LEVELS),
  logFormat: oneOf("--log-format <format>", "log format (default: text on a terminal, otherwise json)", LOG_FORMATS),
};

/** A command whose `run` gets the values as they were given. */
export function command<O extends CommonOptions>({
  load,
  takes,
  below = [],
  ...words
}: CommandText & {
  readonly takes: Takes<O>;
  readonly below?: readonly CommandRow[];
  readonly load: Load<O>;
}): CommandRow {
  return {
    kind: "command",
    ...words,
    below,
    takes: words.json === undefined ? takes : { ...takes, ...COMMON_OPTIONS },
    start: async (context, given) => {
      const { run } = await load();
      return { kind: "ended", exitCode: await run(context, readOptions<O>(takes, given)) };
    },
  };
}

export type Checked<O> =
  | { readonly kind: "ok"; readonly options: O }
  | { readonly kind: "refused"; readonly message: string };

/** A command whose `run` gets the options that `check` returns, unless it refuses. */
export function checkedCommand<T extends Readonly<Record<string, Parameter<unknown>>>, O extends CommonOptions>({
  load,
  takes,
  check,
  ...words
}: CommandText & {
  readonly takes: T;
  readonly check: (given: CommonOptions & Read<T>) => Checked<NoInfer<O>>;
  readonly load: Load<O>;
}): CommandRow {
  return {
    kind: "command",
    ...words,
    below: [],
    takes: words.json === undefined ? takes : { ...takes, ...COMMON_OPTIONS },
    start: async (context, given) => {
      const checked = check(readOptions(takes, given));
      if (checked.kind === "refused") return checked;
      const { run } = await load();
      return { kind: "ended", exitCode: await run(context, checked.options) };
    },
  };
}

export function group(name: string, summary: string, section: Section, commands: readonly CommandRow[]): CommandGroup {
  const names = commands.map((row) => row.name).join(", ");
  return { kind: "group", name, summary: `${summary}: ${names}`, section, commands };
}

/** The row itself and those below it, with the words that a person types. */
export function rowsOf(table: readonly CommandEntry[], above = ""): readonly { row: CommandRow; words: string }[] {
  return table.flatMap((entry) => {
    const words = `${above}${entry.name}`;
    if (entry.kind === "group") return rowsOf(entry.commands, `${words} `);
    return [{ row: entry, words }, ...rowsOf(entry.below, `${words} `)];
  });
}

/** The overloads state the result's keys, which the compiler cannot follow through `Object.fromEntries`. */
function readOptions<O extends CommonOptions>(takes: Takes<O>, given: Values): O;
function readOptions<T extends Readonly<Record<string, Parameter<unknown>>>>(
  takes: T,
  given: Values,
): CommonOptions & Read<T>;
function readOptions(takes: Readonly<Record<string, Parameter<unknown>>>, given: Values): object {
  const all = Object.entries({ ...COMMON_OPTIONS, ...takes });
  return Object.fromEntries(all.map(([key, parameter]) => [key, parameter.read(given[key])]));
}
