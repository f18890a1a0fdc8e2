import { argumentOneOf, flag } from "../command-line/parameters.ts";
import { type CommandEntry, type CommandRow, checkedCommand, command } from "../command-line/row.ts";
import { DOCTOR_JSON_SHAPE } from "../output/reports/doctor-report.ts";

/** The commands about Tacklebox itself. `table` returns every command, including these. */
export function upkeep(table: () => readonly CommandEntry[]): readonly CommandRow[] {
  return [
    command({
      name: "doctor",
      section: "Upkeep",
      summary: "find out what is wrong with your setup, and how to fix it",
      example: "tacklebox doctor",
      json: DOCTOR_JSON_SHAPE,
      more: `
Checks Node.js, the config, the data folder, the vault, the servers (each is started) and the models (none is asked
anything; \`tacklebox model test\` does that).

With --repair, only the data folder is looked at. If its database is damaged, whatever can be read is copied to a new one,
and the damaged one is kept beside it, with the date in its name. No other process may use the folder at that time.

Exit codes: 0 all is well, apart from warnings, 1 something is wrong.`,
      takes: { repair: flag("--repair", "repair a damaged database in the data folder") },
      load: () => import("../commands/doctor.ts"),
    }),

    checkedCommand({
      name: "completion",
      section: "Upkeep",
      summary: "print a completion script for your shell",
      example: `tacklebox completion bash \\
    > ~/.local/share/bash-completion/completions/tacklebox
  tacklebox completion zsh > "\${fpath[1]}/_tacklebox"
  tacklebox completion fish > ~/.config/fish/completions/tacklebox.fish`,
      more: `
The Tab key then completes commands and options, and the names of your servers, tools, conversations, GPTs, models and
secrets. It starts no server: it knows the tools that a server had when it was last used. Regenerate the script after
an update.`,
      takes: { shell: argumentOneOf("your shell", ["bash", "zsh", "fish"]) },
      check: (given) => ({ kind: "ok", options: { ...given, commands: table() } }),
      load: () => import("../commands/completion.ts"),
    }),
  ];
}
