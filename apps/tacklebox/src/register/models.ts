import { MANAGE_JSON_SHAPES } from "../output/manage-shapes.ts";
import { type Registration, toCommon, type Values } from "./registration.ts";

/** The commands about language models. */
export function registerModels({ addCommand, context, exitWith }: Registration): void {
  addCommand("list", "show every model a run could use, and where it was found", {
    example: "tacklebox model list",
    json: MANAGE_JSON_SHAPES.modelList,
    more: `
Models are those of the config file, then those of OPENAI_API_KEY and ANTHROPIC_API_KEY, then those of a local Ollama,
and the demo model, which is built in. No server is started.`,
  }).action(async (options: Values) => {
    const { run } = await import("../commands/model-list.ts");
    exitWith(await run(await context(), toCommon(options)));
  });

  addCommand("test", "ask a model for one word: how long it took, or what is wrong", {
    example: "tacklebox model test anthropic",
    json: MANAGE_JSON_SHAPES.modelTest,
    more: `
Exit codes: 0 it answered, 1 there is no such model, 3 it failed. No server is started.`,
  })
    .argument("[name]", "the model; the default one when left out")
    .action(async (name: string | undefined, options: Values) => {
      const { run } = await import("../commands/model-test.ts");
      exitWith(await run(await context(), { ...toCommon(options), name }));
    });
}
