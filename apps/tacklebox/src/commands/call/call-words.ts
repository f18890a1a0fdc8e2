import { type TypedArgument, toTypedArgument } from "../../tool-arguments/typed-argument.ts";

/** What follows `call` on the command line. */
export interface CallWords {
  readonly first: string;
  /** Set if the tool is written as two words, its server and its name. */
  readonly second: string | undefined;
  readonly typed: readonly TypedArgument[];
  /** The arguments as one JSON object; `-` reads it from stdin. */
  readonly object: string | undefined;
}

export type ParsedWords =
  | { readonly kind: "ok"; readonly words: CallWords }
  | { readonly kind: "refused"; readonly message: string };

const NO_TOOL = "name a tool, such as: tacklebox call files read_file path=notes.txt, or use --stdin";

/** Tells the names of the tool from its arguments: those have a `=`, or are one JSON object. */
export function parseCallWords(given: readonly string[], args: string | undefined): ParsedWords {
  const isArgument = (word: string) => word.startsWith("{") || toTypedArgument(word) !== undefined;
  const firstArgument = given.findIndex(isArgument);
  const end = firstArgument === -1 ? given.length : firstArgument;
  const [first, second, third] = given.slice(0, end);
  if (first === undefined) return refuse(NO_TOOL);
  if (third !== undefined) return refuse(noArgument(third));

  const typed: TypedArgument[] = [];
  const objects = args === undefined ? [] : [args];
  for (const word of given.slice(end)) {
    const argument = word.startsWith("{") ? undefined : toTypedArgument(word);
    if (argument !== undefined) typed.push(argument);
    else if (word.startsWith("{")) objects.push(word);
    else return refuse(noArgument(word));
  }
  if (objects.length > 1) return refuse("pass the JSON object only once; name=value arguments can be added to it");
  return { kind: "ok", words: { first, second, typed, object: objects[0] } };
}

function noArgument(word: string): string {
  return `'${word}' is not an argument; write each as name=value, such as path=notes.txt`;
}

function refuse(message: string): ParsedWords {
  return { kind: "refused", message };
}
