import process from "node:process";
import type { StdioLaunch } from "@tacklebox/core";
import type { CommandFact } from "./launch-facts.ts";

/** Programs that fetch the server they run when it is not there yet, and what they come with. */
const COMES_WITH: ReadonlyMap<string, string> = new Map([
  ["node", "Node.js"],
  ["npm", "Node.js"],
  ["npx", "Node.js"],
  ["bunx", "Bun"],
  ["bun", "Bun"],
  ["deno", "Deno"],
  ["uv", "uv"],
  ["uvx", "uv"],
  ["pipx", "pipx"],
  ["docker", "Docker"],
  ["podman", "Podman"],
]);

const FETCHERS: ReadonlySet<string> = new Set(["npx", "bunx", "uvx", "pipx", "docker", "podman", "npm", "uv"]);
const SHOWN_PATH = 500;

/** Why a command could not be started; undefined if nothing is wrong with it. */
export function explainCommand(fact: CommandFact, { command, env }: StdioLaunch): string | undefined {
  switch (fact.kind) {
    case "missing":
      return explainMissing(command, fact.searched, env.PATH !== undefined);
    case "folder":
      return `The command "${command}" is a folder, not a program.`;
    case "not-executable":
      return `The command "${command}" is not executable. If it is a program, run: chmod +x ${fact.file}`;
    case "no-interpreter":
      return `The command "${command}" cannot be run: its first line names ${fact.interpreter}, which does not exist.`;
    case "other-machine":
      return `The command "${command}" was built for ${fact.built}; this is ${process.platform} on ${process.arch}.`;
    case "no-first-line":
    case "nothing-wrong":
      return undefined;
  }
}

function explainMissing(command: string, searched: string | undefined, isOwnPath: boolean): string {
  if (searched === undefined) return `The command "${command}" was not found: there is no such file. Check its path.`;
  const source = COMES_WITH.get(command);
  const install = source === undefined ? "install it" : `install ${source}, which it comes with,`;
  const next = `Check its spelling, ${install} or give its full path.`;
  // What the entry sets may be anything, and is shown nowhere.
  if (isOwnPath) return `The command "${command}" was not found in the PATH that its entry sets. ${next}`;
  const shown = searched.length > SHOWN_PATH ? `${searched.slice(0, SHOWN_PATH)}…` : searched;
  return `The command "${command}" was not found. ${next}\nSearched: ${shown === "" ? "nothing, as PATH is empty" : shown}`;
}

/** What a server did until it ended, or until nobody waited any longer. */
export interface Beginning {
  /** Lines on stdout that are no messages, redacted. */
  readonly strayLines: readonly string[];
  /** Its last lines on stderr, redacted. */
  readonly lastOutput: string | undefined;
  readonly saidNothing: boolean;
}

export interface EndFacts {
  readonly fact: CommandFact | undefined;
  readonly missingScript: string | undefined;
}

/** Follows a sentence that says how the process ended before it was ready. */
export function explainEnd({ fact, missingScript }: EndFacts, launch: StdioLaunch, beginning: Beginning): string {
  const wrong = fact === undefined ? undefined : explainCommand(fact, launch);
  const facts = [
    ...(missingScript === undefined ? [] : [`There is no file ${missingScript}, which its arguments name.`]),
    ...(wrong === undefined ? [] : [wrong]),
    ...(fact?.kind === "no-first-line"
      ? [`${fact.file} has no #! line, so a shell ran it. Use its interpreter as the command.`]
      : []),
  ];
  if (facts.length === 0 && beginning.saidNothing)
    facts.push("It wrote nothing. Check that the command and its arguments start an MCP server.");
  return [...facts, ...outputOf(beginning)].join(" ");
}

/** Follows a line that says that the server did not answer in time. */
export function explainSilence({ command }: StdioLaunch, beginning: Beginning): string {
  const name = command.split(/[/\\]/).at(-1) ?? command;
  const longer = FETCHERS.has(name)
    ? `If ${name} is still fetching it, give it longer with "timeout" in its config entry.`
    : 'If it is only slow to start, give it longer with "timeout" in its config entry.';
  const output = outputOf(beginning).join("\n");
  if (output !== "") return output;
  return beginning.saidNothing
    ? `The program runs, but has written nothing. Check that its arguments start an MCP server. ${longer}`
    : `The program runs, but did not complete the handshake. Check that it is an MCP server. ${longer}`;
}

function outputOf({ strayLines, lastOutput }: Beginning): string[] {
  return [
    ...(strayLines.length === 0
      ? []
      : [`It wrote text to stdout, where MCP messages belong:\n${strayLines.join("\n")}`]),
    ...(lastOutput === undefined ? [] : [`Its last output:\n${lastOutput}`]),
  ];
}
