import type { CommandWords } from "./command-words.ts";
import { COMPLETE } from "./word-kinds.ts";

/** Writes the completion script for zsh, to be sourced or saved as `_tacklebox` in a folder of `fpath`. */
export function toZsh(tree: readonly CommandWords[]): string {
  const paths = tree.flatMap(({ path }) => (path === "" ? [] : [`'${path}'`]));
  const values = tree.flatMap(({ path, options }) =>
    options.flatMap(({ flag, takes, choices }) => {
      if (takes === "nothing") return [];
      if (takes === "a name") return [`    ('${path} ${flag}') _tacklebox_names || _files; return ;;`];
      return [
        `    ('${path} ${flag}') ${choices.length > 0 ? `compadd -- ${choices.join(" ")}` : "_files"}; return ;;`,
      ];
    }),
  );
  const commands = tree.map(({ path, commands: below, options, choices, hasNames }) => {
    const first = [...below.map(({ name, summary }) => described(name, summary)), ...choices.map((one) => `'${one}'`)];
    const flags = options.map(({ flag, summary }) => described(flag, summary));
    return `    ('${path}')
      commands=(${first.join(" ")})
      options=(${flags.join(" ")})${hasNames ? " names=1" : ""} ;;`;
  });
  return `#compdef tacklebox
# Completes tacklebox in zsh. To use it, put this into a folder of fpath as _tacklebox, or into .zshrc:
#   source <(tacklebox completion zsh)
_tacklebox_names() {
  local -a values shown
  local line
  while IFS= read -r line; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  }")
  done < <(command tacklebox ${COMPLETE} zsh "\${(@Q)words[2,CURRENT]}" 2> /dev/null < /dev/null)
  compadd -l -d shown -a values
}
_tacklebox() {
  local -a commands options
  local place="" names="" next word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${place:+$place }$word"
    case "$next" in
      (${paths.join("|")}) place="$next" ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${values.join("\n")}
  esac
  case "$place" in
${commands.join("\n")}
  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe option options
  elif [[ -n "$names" ]] && _tacklebox_names; then
    (( \${#commands} )) && _describe command commands
    return 0
  elif (( \${#commands} )); then
    _describe command commands
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _tacklebox ]]; then
  _tacklebox "$@"
else
  compdef _tacklebox tacklebox
fi
`;
}

/** Formats `name:summary` for zsh's _describe. */
function described(name: string, summary: string): string {
  return `'${`${name.replaceAll(":", "\\:")}:${summary}`.replaceAll("'", `'\\''`)}'`;
}
