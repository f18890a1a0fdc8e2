import type { Command } from "commander";
import { toBash } from "../completion/bash.ts";
import { wordsOfTree } from "../completion/command-words.ts";
import { toFish } from "../completion/fish.ts";
import { toZsh } from "../completion/zsh.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";

export type Shell = "bash" | "zsh" | "fish";

const SCRIPTS = { bash: toBash, zsh: toZsh, fish: toFish } as const;

/** Prints the script that makes a shell complete our commands. It is made of the commands themselves. */
export async function run(io: Io, program: Command, shell: Shell): Promise<ExitCode> {
  await io.stdout.write(SCRIPTS[shell](wordsOfTree(program)));
  return EXIT.ok;
}
