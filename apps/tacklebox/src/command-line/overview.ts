import { reflow } from "./reflow.ts";

/** The headings of `tacklebox --help`, in their order. */
export const SECTIONS = [
  "Talk",
  "Tools and calls",
  "Servers",
  "Trust and secrets",
  "Models and conversations",
  "Upkeep",
] as const;
export type Section = (typeof SECTIONS)[number];

/** What a newcomer does first, in that order. */
export const EXAMPLES: readonly (readonly [example: string, purpose: string])[] = [
  ["tacklebox init", "create a config file"],
  ["tacklebox", "chat with a model and your tools"],
  ['tacklebox search "rename a file"', "find a tool"],
  ["tacklebox call files read_file path=a.txt", "call it"],
  ['tacklebox run "what is in my files?"', "run one prompt"],
  ["tacklebox calls", "see what was called"],
];

/** Column in which the purpose starts. */
const PURPOSE_AT = 45;

const REFERENCE = `
Exit codes:
  0    ok
  1    could not start
  2    wrong usage
  3    a call ended in error
  4    a call was denied
  130  interrupted

The config file is the one named by --config or TACKLEBOX_CONFIG; else tacklebox.yaml or .json in the current folder,
once you have allowed it; else the same in your config folder. TACKLEBOX_DATA moves the data folder.`;

/** The text of `tacklebox --help` below the list of commands. */
export function describeOverview(width: number): string {
  const lines = EXAMPLES.map(([example, purpose]) => `  ${example.padEnd(PURPOSE_AT)}${purpose}`);
  return `\nExamples:\n${lines.join("\n")}\n${reflow(REFERENCE, width)}\n\nHelp on one command: tacklebox help COMMAND`;
}
