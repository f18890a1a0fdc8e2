import { optionalArgument } from "../command-line/parameters.ts";
import { command, group } from "../command-line/row.ts";
import { MANAGE_JSON_SHAPES } from "../output/json/manage-shapes.ts";

/** The commands about language models. */
export const MODEL = group("model", "the models that can answer", [
  command({
    name: "list",
    summary: "show every model a run could use, and where it was found",
    example: "tacklebox model list",
    json: MANAGE_JSON_SHAPES.modelList,
    more: `
Models are those of the config file, then those of OPENAI_API_KEY and ANTHROPIC_API_KEY, then those of a local Ollama,
and the demo model, which is built in. No server is started.`,
    overview: {
      stage: "further",
      lines: [["tacklebox model list", "which models can answer; test, to ask one"]],
    },
    takes: {},
    load: () => import("../commands/model/list.ts"),
  }),

  command({
    name: "test",
    summary: "ask a model for one word: how long it took, or what is wrong",
    example: "tacklebox model test anthropic",
    json: MANAGE_JSON_SHAPES.modelTest,
    more: `
Exit codes: 0 it answered, 1 there is no such model, 3 it failed. No server is started.`,
    takes: { name: optionalArgument("the model; the default one when left out") },
    load: () => import("../commands/model/test.ts"),
  }),
]);
