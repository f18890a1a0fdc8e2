import { Option } from "commander";
import { RUN_JSON_SHAPE } from "../output/run-shapes.ts";
import { gather, type Registration, text, texts, toCommon, type Values } from "./registration.ts";

export const APPROVAL_MODES = ["auto", "always-ask", "trusted-only"] as const;

const MORE = `
The prompt is the argument, then what is piped in, a blank line between them; - is stdin alone. Beside a
prompt, a socket as stdin that says nothing for 3 s is left alone. The model's text goes to stdout as it comes; on
stderr is what failed and, on a terminal, each call and the session to go on with.
Calls run without asking (--approve auto) unless the GPT, the server or the tool says otherwise; nobody can answer
here, so a call that would have to ask is denied and the model is told.
The model is the one of --model, of the GPT, of the session, or the first of: models in the config file,
OPENAI_API_KEY, ANTHROPIC_API_KEY (each with its optional _BASE_URL and _MODEL), a local Ollama, the demo model.

Exit codes: 0 the model came to its end, 1 could not start (config, required server, no such model, GPT or session),
2 usage, 3 the model failed, refused, was cut off or asked for tools too often, 130 interrupted. SIGTERM lets the run
end (10 s at most) but makes no new calls.`;

/** The command that asks a model. */
export function registerRun({ addCommand, context, exitWith }: Registration): void {
  addCommand("run", "work a prompt to its end with a model that has every tool", {
    example: 'tacklebox run "which of my files mention tacklebox?" --approve auto',
    json: RUN_JSON_SHAPE,
    more: MORE,
  })
    .argument("[prompt]", "what to do, or - to read it from stdin")
    .option("--gpt <key>", "a saved assistant: its instructions, model, tools and approval mode")
    .option("--model <name>", "the model that answers")
    .addOption(new Option("--approve <mode>", "who decides about calls").choices(APPROVAL_MODES))
    .option("--session <id>", "go on with this conversation")
    .option("--tool <name>", "put this tool into the session, as name or server:tool; more than once", gather)
    .option("--without <name>", "take this tool out of the session; more than once", gather)
    .action(async (prompt: string | undefined, options: Values) => {
      const { run } = await import("../commands/run.ts");
      exitWith(
        await run(await context(), {
          ...toCommon(options),
          prompt,
          gpt: text(options.gpt),
          model: text(options.model),
          approve: APPROVAL_MODES.find((mode) => mode === options.approve),
          session: text(options.session),
          tools: texts(options.tool),
          without: texts(options.without),
        }),
      );
    });
}
