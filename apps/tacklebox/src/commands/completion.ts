import type { CommandEntry } from "../command-line/row.ts";
import type { CommonOptions, Context } from "../command-options.ts";
import { toBash } from "../completion/bash.ts";
import { wordsOf } from "../completion/command-words.ts";
import { toFish } from "../completion/fish.ts";
import { toZsh } from "../completion/zsh.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";

export interface CompletionOptions extends CommonOptions {
  readonly shell: keyof typeof SCRIPTS;
  /** The commands to complete. */
  readonly commands: readonly CommandEntry[];
}

const SCRIPTS = { bash: toBash, zsh: toZsh, fish: toFish } as const;

/** Prints a shell's completion script, generated from the command table. */
export async function run({ io }: Context, { shell, commands }: CompletionOptions): Promise<ExitCode> {
  await io.stdout.write(SCRIPTS[shell](wordsOf(commands)));
  return EXIT.ok;
}
