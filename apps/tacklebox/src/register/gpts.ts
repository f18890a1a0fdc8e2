import { Option } from "commander";
import { MANAGE_JSON_SHAPES } from "../output/manage-shapes.ts";
import { gather, type Registration, text, texts, toCommon, type Values } from "./registration.ts";
import { APPROVAL_MODES } from "./run.ts";

/** The commands about saved assistants. None of them starts a server. */
export function registerGpts({ addCommand, context, exitWith }: Registration): void {
  addCommand("list", "show the assistants of the config file and those that were saved", {
    example: "tacklebox gpt list",
    json: MANAGE_JSON_SHAPES.gptList,
  }).action(async (options: Values) => {
    const { run } = await import("../commands/gpt-list.ts");
    exitWith(await run(await context(), toCommon(options)));
  });

  addCommand("show", "show one assistant in full", {
    example: "tacklebox gpt show reader",
    json: MANAGE_JSON_SHAPES.gpt,
  })
    .argument("<key>", "the GPT")
    .action(async (key: string, options: Values) => {
      const { run } = await import("../commands/gpt-show.ts");
      exitWith(await run(await context(), { ...toCommon(options), key }));
    });

  addCommand("add", "save an assistant: instructions, a model, tools, and who decides about calls", {
    example: 'tacklebox gpt add reader --instructions "Answer from the files." --server files',
    json: MANAGE_JSON_SHAPES.gpt,
    more: `
  tacklebox gpt add reader --instructions - < reader.md
  tacklebox gpt add reader --tool files:write_file=off --approval trusted-only --trust files:read_text_file
Assistants of the config file are changed there, under 'gpts'.`,
  })
    .argument("<key>", "what to write after --gpt")
    .option("--name <text>", "what to call it; the key when left out")
    .option("--description <text>", "what it is for")
    .option("--instructions <text>", "what it is told before every conversation; - is stdin")
    .option("--model <name>", "the model that answers; the default one when left out")
    .addOption(new Option("--server <name>", "a server it may use, once for each; all when left out").argParser(gather))
    .addOption(new Option("--tool <server:tool=mode>", "always, manual, agent or off, for one tool").argParser(gather))
    .addOption(new Option("--trust <server:tool>", "a tool that runs without asking").argParser(gather))
    .addOption(new Option("--approval <mode>", "who decides about calls").choices(APPROVAL_MODES).default("always-ask"))
    .action(async (key: string, options: Values) => {
      const { run } = await import("../commands/gpt-add.ts");
      exitWith(
        await run(await context(), {
          ...toCommon(options),
          key,
          name: text(options.name),
          description: text(options.description),
          instructions: text(options.instructions),
          model: text(options.model),
          servers: texts(options.server),
          tools: texts(options.tool),
          trusted: texts(options.trust),
          approval: APPROVAL_MODES.find((mode) => mode === options.approval) ?? "always-ask",
        }),
      );
    });

  addCommand("remove", "remove a saved assistant", {
    example: "tacklebox gpt remove reader",
    json: MANAGE_JSON_SHAPES.gptRemove,
  })
    .argument("<key>", "the GPT")
    .action(async (key: string, options: Values) => {
      const { run } = await import("../commands/gpt-remove.ts");
      exitWith(await run(await context(), { ...toCommon(options), key }));
    });
}
