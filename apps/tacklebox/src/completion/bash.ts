import type { CommandWords } from "./command-words.ts";

/** Writes the completion script for bash. Names and flags need no quoting: they are letters, digits and dashes. */
export function toBash(tree: readonly CommandWords[]): string {
  const paths = tree.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`]));
  const values = tree.flatMap(({ path, options }) =>
    options.flatMap(({ flag, takes, choices }) => {
      if (takes === "nothing") return [];
      return [`    "${path} ${flag}") ${choices.length > 0 ? words(choices.join(" ")) : ANYTHING} ;;`];
    }),
  );
  const commands = tree.map(({ path, commands: below, options, choices }) => {
    const all = [...below.map(({ name }) => name), ...choices, ...options.map(({ flag }) => flag)];
    return `    "${path}") words="${all.join(" ")}" ;;`;
  });
  return `# Completes tacklebox in bash. To use it now and from now on:
#   tacklebox completion bash > ~/.local/share/bash-completion/completions/tacklebox
_tacklebox() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place="" words="" next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${place:+$place }\${COMP_WORDS[i]}"
    case "$next" in
      ${paths.join(" | ")}) place="$next" ;;
    esac
  done
  case "$place \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join("\n")}
  esac
  case "$place" in
${commands.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tacklebox tacklebox
`;
}

/** Suggests nothing, which makes bash offer files. */
const ANYTHING = "COMPREPLY=(); return";

function words(list: string): string {
  return `COMPREPLY=($(compgen -W "${list}" -- "$current")); return`;
}
