import { optionalArgument } from "../command-line/parameters.ts";
import { command, group } from "../command-line/row.ts";
import { MANAGE_JSON_SHAPES } from "../output/json/manage-shapes.ts";

/** The commands about language models. */
export const MODEL = group("model", "models you can use", "Models and conversations", [
  command({
    name: "list",
    summary: "list the models you can use, and where each was found",
    example: "tacklebox model list",
    json: MANAGE_JSON_SHAPES.modelList,
    more: `
The models are those of the config file, of OPENAI_API_KEY, of ANTHROPIC_API_KEY and of a local Ollama, in this order,
and the built-in demo model. No MCP server is started.`,
    takes: {},
    load: () => import("../commands/model/list.ts"),
  }),

  command({
    name: "test",
    summary: "check that a model answers",
    example: "tacklebox model test anthropic",
    json: MANAGE_JSON_SHAPES.modelTest,
    more: `
The model is asked for one word. No MCP server is started.

Exit codes: 0 it answered, 1 there is no such model, 3 it failed.`,
    takes: { name: optionalArgument("the model (default: the one a run would use)") },
    load: () => import("../commands/model/test.ts"),
  }),
]);
