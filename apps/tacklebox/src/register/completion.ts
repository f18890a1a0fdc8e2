import { Argument, type Command } from "commander";
import type { Io } from "../io.ts";
import type { Registration } from "./registration.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

const HELP = `
Example:
  tacklebox completion bash > ~/.local/share/bash-completion/completions/tacklebox
  tacklebox completion zsh > "\${fpath[1]}/_tacklebox"
  tacklebox completion fish > ~/.config/fish/completions/tacklebox.fish

The script knows the commands and options of this version; make it anew after an update.`;

/** Has none of the options every command has: it reads no config and prints no JSON. */
export function registerCompletion({ exitWith }: Registration, program: Command, io: Io): void {
  program
    .command("completion")
    .description("print a script that makes a shell complete commands and options")
    .addArgument(new Argument("<shell>", "which shell").choices(SHELLS))
    .addHelpText("after", HELP)
    .action(async (shell: string) => {
      const { run } = await import("../commands/completion.ts");
      exitWith(await run(io, program, SHELLS.find((one) => one === shell) ?? "bash"));
    });
}
