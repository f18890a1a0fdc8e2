import { type Command, Option } from "commander";
import { JSON_SHAPES } from "../output/json-shapes.ts";
import { parseCount, type Registration, toCommon, type Values } from "./registration.ts";

/** The command that finds tools. */
export function registerSearch({ addCommand, context, exitWith }: Registration): void {
  addCommand("search", "find tools by what is to be done, the best match first", {
    example: 'tacklebox search "rename a file"',
    json: JSON_SHAPES.search,
    more: `
Tools are found by the words of their names, servers, descriptions and parameters; nothing is sent anywhere unless
toolbox.search names a model. The score is 1 for a tool that is named, else how much of what was asked for the tool
answers, from 0 to 1. Models search in the same way. Tools that may not be called are not found.`,
  })
    .argument("<words>", "what is to be done, or a tool's name")
    .addOption(new Option("--limit <count>", "how many at most").argParser(parseCount).default(10))
    .action(async (words: string, options: Values, command: Command) => {
      if (words.trim() === "")
        command.error('error: say what is to be done, such as: tacklebox search "rename a file"');
      const { run } = await import("../commands/search.ts");
      exitWith(await run(await context(), { ...toCommon(options), words, limit: Number(options.limit) }));
    });
}
