import { type CommandEntry, rowsOf } from "./row.ts";

/** The order of the examples in `tacklebox --help`. Within a stage they follow the order of the table. */
const STAGES = ["begin", "look around", "work", "keep watch", "set up", "further"] as const;

/** A command's lines among the examples of `tacklebox --help`. The purpose is left out where it is obvious. */
export interface Overview {
  readonly stage: (typeof STAGES)[number];
  readonly lines: readonly (readonly [example: string, purpose?: string])[];
}

/** Column in which the purpose starts. */
const PURPOSE_AT = 51;

const REFERENCE = `Exit codes: 0 ok, 1 could not start, 2 usage, 3 a call ended in error, 4 denied, 130 interrupted
The config is the file of --config, else of TACKLEBOX_CONFIG, else ./tacklebox.yaml or .json once you agreed to it
(tacklebox allow), else the same in your config folder. TACKLEBOX_DATA moves the data folder.`;

/** The text of `tacklebox --help` below the list of commands. */
export function describeOverview(table: readonly CommandEntry[]): string {
  const rows = rowsOf(table).map(({ row }) => row);
  const lines = STAGES.flatMap((stage) =>
    rows.flatMap(({ overview }) => (overview?.stage === stage ? overview.lines.map(formatLine) : [])),
  );
  return `\nExamples:\n${lines.join("\n")}\n\n${REFERENCE}`;
}

function formatLine([example, purpose]: Overview["lines"][number]): string {
  return `  ${purpose === undefined ? example : `${example.padEnd(PURPOSE_AT)}${purpose}`}`;
}
