import { argumentOneOf, flag } from "../command-line/parameters.ts";
import { type CommandEntry, type CommandRow, checkedCommand, command } from "../command-line/row.ts";
import { DOCTOR_JSON_SHAPE } from "../output/doctor-report.ts";

/** The commands about Tacklebox itself. `table` returns every command, including these. */
export function upkeep(table: () => readonly CommandEntry[]): readonly CommandRow[] {
  return [
    command({
      name: "doctor",
      summary: "look at everything that is needed: what is wrong, and what to do about it",
      example: "tacklebox doctor",
      json: DOCTOR_JSON_SHAPE,
      more: `
Looks at Node.js, the config, the data folder, the vault, each server (which is started) and the models (none is asked;
\`tacklebox model test\` does that). Exit codes: 0 nothing is wrong, warnings aside, 1 something is.
With --repair it looks at the data folder alone. If the database there is damaged, it copies what can be read into a new
one and keeps the damaged one beside it, under a name with the date. No other process may use the folder meanwhile.`,
      overview: { stage: "further", lines: [["tacklebox doctor", "what is wrong, and what to do about it"]] },
      takes: { repair: flag("--repair", "repair a damaged database in the data folder") },
      load: () => import("../commands/doctor.ts"),
    }),

    checkedCommand({
      name: "completion",
      summary: "print a script that makes a shell complete commands and options",
      example: `tacklebox completion bash > ~/.local/share/bash-completion/completions/tacklebox
  tacklebox completion zsh > "\${fpath[1]}/_tacklebox"
  tacklebox completion fish > ~/.config/fish/completions/tacklebox.fish`,
      more: `
The script knows the commands and options of this version; make it anew after an update.`,
      overview: {
        stage: "further",
        lines: [["tacklebox completion bash", "complete commands with the Tab key"]],
      },
      takes: { shell: argumentOneOf("which shell", ["bash", "zsh", "fish"]) },
      check: (given) => ({ kind: "ok", options: { ...given, commands: table() } }),
      load: () => import("../commands/completion.ts"),
    }),
  ];
}
