import type { CommandWords } from "./command-words.ts";
import { COMPLETE } from "./word-kinds.ts";

/** Writes the completion script for fish: one line for each word that can come next. */
export function toFish(tree: readonly CommandWords[]): string {
  const groups = tree.filter(({ path, commands }) => path !== "" && commands.length > 0).map(({ path }) => path);
  const lines = tree.flatMap((command) => {
    const { path, commands, options, choices, hasNames } = command;
    const here = conditionOf(command, groups);
    return [
      ...commands.map(({ name, summary }) => line(`${here}${notYet(command)}`, `-a ${name}`, summary)),
      ...(hasNames ? [`complete -c tacklebox -n ${quoted(here)} -a '(__tacklebox_names)'`] : []),
      ...choices.map((choice) => line(here, `-a ${choice}`, path)),
      ...options.map(({ flag, summary, takes, choices: values }) =>
        line(here, `-l ${flag.slice(2)}${taking(takes, values)}`, summary),
      ),
    ];
  });
  return `# Completes tacklebox in fish. To use it from now on:
#   tacklebox completion fish > ~/.config/fish/completions/tacklebox.fish
function __tacklebox_names
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    command tacklebox ${COMPLETE} fish $typed[2..-1] "$current" 2> /dev/null < /dev/null
end
complete -c tacklebox -f
${lines.join("\n")}
`;
}

function conditionOf({ path }: CommandWords, groups: readonly string[]): string {
  if (path === "") return "__fish_use_subcommand";
  const [first = "", second] = path.split(" ");
  if (second !== undefined) return `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`;
  // A top-level command can share its name with one of a group: `remove` and `gpt remove`.
  const others = groups.filter((group) => group !== first);
  return `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${others.join(" ")}`;
}

function notYet({ path, commands }: CommandWords): string {
  return path === "" ? "" : `; and not __fish_seen_subcommand_from ${commands.map(({ name }) => name).join(" ")}`;
}

function taking(takes: string, values: readonly string[]): string {
  if (takes === "nothing") return "";
  if (takes === "a file") return " -r -F";
  if (takes === "a name") return " -x -a '(__tacklebox_names)'";
  return values.length > 0 ? ` -x -a ${quoted(values.join(" "))}` : " -x";
}

function line(condition: string, words: string, summary: string): string {
  return `complete -c tacklebox -n ${quoted(condition)} ${words} -d ${quoted(summary)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
