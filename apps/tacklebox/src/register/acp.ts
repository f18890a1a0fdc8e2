import type { Io } from "../io.ts";
import { type Registration, text, toCommon, type Values } from "./registration.ts";

const MORE = `
Speaks the Agent Client Protocol (version 1) on stdin and stdout until stdin is closed. Editors start it by themselves;
docs/editors.md says how to tell them. MCP servers that the editor brings live as long as its session; those of the config
file are there for every session. Needs no config file.

Exit codes: 0 the editor closed stdin or sent SIGTERM, 1 could not start (config, data folder, no such GPT; the editor is
told as well), 2 usage, 130 interrupted.`;

/** The command that editors start. */
export function registerAcp({ addCommand, context, exitWith }: Registration, io: Io): void {
  addCommand("acp", "serve an editor that speaks the Agent Client Protocol", {
    example: "tacklebox acp --config tacklebox.yaml",
    json: "no output of its own: stdout is the protocol",
    more: MORE,
  })
    .option("--gpt <key>", "the saved assistant that sessions begin with")
    .action(async (options: Values) => {
      const { run } = await import("../commands/acp.ts");
      exitWith(await run(io, context, { ...toCommon(options), gpt: text(options.gpt) }));
    });
}
