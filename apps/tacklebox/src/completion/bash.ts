import type { CommandWords } from "./command-words.ts";
import { COMPLETE } from "./word-kinds.ts";

/**
 * Writes the completion script for bash. Commands and flags need no quoting: they are letters, digits and dashes. Names
 * do, because servers choose some of them: bash inserts them as they are, and `compgen -W` would even expand them.
 */
export function toBash(tree: readonly CommandWords[]): string {
  const paths = tree.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`]));
  const values = tree.flatMap(({ path, options }) =>
    options.flatMap(({ flag, takes, choices }) => {
      if (takes === "nothing") return [];
      if (takes === "a name") return [`    "${path} ${flag}") _tacklebox_names; return ;;`];
      return [`    "${path} ${flag}") ${choices.length > 0 ? words(choices.join(" ")) : ANYTHING} ;;`];
    }),
  );
  const commands = tree.map(({ path, commands: below, options, choices, hasNames }) => {
    const first = [...below.map(({ name }) => name), ...choices];
    const all = [...first, ...options.map(({ flag }) => flag)].join(" ");
    return `    "${path}") words="${all}"${hasNames ? ` first="${first.join(" ")}" names=1` : ""} ;;`;
  });
  return `# Completes tacklebox in bash. To use it now and from now on:
#   tacklebox completion bash > ~/.local/share/bash-completion/completions/tacklebox
_tacklebox_names() {
  local i current word rest quoted
  local -a typed=()
  # Bash splits words at colons.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    if ((i > 1)) && [[ "\${COMP_WORDS[i]}" == : || "\${COMP_WORDS[i - 1]}" == : ]]; then
      typed[\${#typed[@]} - 1]+="\${COMP_WORDS[i]}"
    else
      typed+=("\${COMP_WORDS[i]}")
    fi
  done
  current="\${typed[\${#typed[@]} - 1]}"
  # What is inserted between quotes would not be quoted by us.
  case "$current" in [\\'\\"]*) return ;; esac
  while IFS=$'\\t' read -r word rest; do
    printf -v quoted %q "$word"
    [[ "$quoted" == "$current"* || "$word" == "$current"* ]] || continue
    COMPREPLY+=("\${quoted#"\${current%"\${current##*:}"}"}")
  done < <(command tacklebox ${COMPLETE} bash "\${typed[@]}" 2> /dev/null < /dev/null)
}
_tacklebox() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place="" words="" first="" names="" next i
  COMPREPLY=()
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
  if [[ -n "$names" && "$current" != -* ]]; then
    COMPREPLY=($(compgen -W "$first" -- "$current"))
    _tacklebox_names
    ((\${#COMPREPLY[@]})) && return
  fi
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
