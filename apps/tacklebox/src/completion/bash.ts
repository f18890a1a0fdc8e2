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
  local word rest quoted
  # What is inserted between quotes would not be quoted by us.
  case "$current" in [\\'\\"]*) return ;; esac
  while IFS=$'\\t' read -r word rest; do
    printf -v quoted %q "$word"
    [[ "$quoted" == "$current"* || "$word" == "$current"* ]] || continue
    # Bash replaces what follows the last colon.
    COMPREPLY+=("\${quoted#"\${current%"\${current##*:}"}"}")
  done < <(command tacklebox ${COMPLETE} bash "\${typed[@]}" 2> /dev/null < /dev/null)
}
_tacklebox() {
  local current previous place="" words="" first="" names="" next word i
  local -a typed=()
  COMPREPLY=()
  # Bash makes words of : and = as well.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    next="\${COMP_WORDS[i]}"
    if ((i > 1)) && [[ "$next" == : || "\${COMP_WORDS[i - 1]}" == : ]]; then
      typed[\${#typed[@]} - 1]+="$next"
    elif [[ "$next" != = ]]; then
      typed+=("$next")
    elif ((i == COMP_CWORD)); then
      typed+=("")
    fi
  done
  current="\${typed[\${#typed[@]} - 1]}"
  ((\${#typed[@]} > 1)) && previous="\${typed[\${#typed[@]} - 2]}"
  for word in "\${typed[@]:0:\${#typed[@]}-1}"; do
    next="\${place:+$place }$word"
    case "$next" in
      ${paths.join(" | ")}) place="$next" ;;
    esac
  done
  case "$place $previous" in
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
