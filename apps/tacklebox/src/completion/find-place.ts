import type { CommandWords } from "./command-words.ts";
import { kindOfArgument, kindOfFlag, type WordKind } from "./word-kinds.ts";

/** What is to be completed. */
export interface Place {
  readonly kind: WordKind;
  /** The server that was named before, as an argument or with --server. */
  readonly server: string | undefined;
  /** The value of --config. */
  readonly config: string | undefined;
}

/** Finds out what the last of the words is to be. Undefined if it is not a name that we know. */
export function findPlace(tree: readonly CommandWords[], words: readonly string[]): Place | undefined {
  const values = new Map<string, string>();
  const given: string[] = [];
  let command = "";
  let flag: string | undefined;
  for (const word of words.slice(0, -1)) {
    // Bash takes it for a word of its own.
    if (word === "=") continue;
    if (flag !== undefined) {
      values.set(flag, word);
      flag = undefined;
      continue;
    }
    if (word.startsWith("-")) {
      const [name = "", value] = word.split(/=(.*)/s, 2);
      if (value !== undefined) values.set(name, value);
      else if (takesValue(tree, command, name)) flag = name;
      continue;
    }
    const next = command === "" ? word : `${command} ${word}`;
    if (given.length === 0 && tree.some(({ path }) => path === next)) command = next;
    else given.push(word);
  }
  const config = values.get("--config");
  const isOption = flag === undefined && (words.at(-1) ?? "").startsWith("-");
  if (isOption) return undefined;
  const kind = flag === undefined ? kindOfArgument(command, given.length) : kindOfFlag(command, flag);
  if (kind === undefined) return undefined;
  const argument = kindOfArgument(command, 0) === "servers" ? given[0] : undefined;
  return { kind, server: argument ?? values.get("--server"), config };
}

function takesValue(tree: readonly CommandWords[], command: string, flag: string): boolean {
  const options = tree.find(({ path }) => path === command)?.options ?? [];
  return options.some((option) => option.flag === flag && option.takes !== "nothing");
}
