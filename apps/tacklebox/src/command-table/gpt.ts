import { argument, oneOfOr, text, texts } from "../command-line/parameters.ts";
import { command, group } from "../command-line/row.ts";
import { MANAGE_JSON_SHAPES } from "../output/json/manage-shapes.ts";
import { APPROVAL_MODES } from "./approval-modes.ts";

/** The commands about saved assistants. None of them starts a server. */
export const GPT = group("gpt", "saved assistants", [
  command({
    name: "list",
    summary: "show the assistants of the config file and those that were saved",
    example: "tacklebox gpt list",
    json: MANAGE_JSON_SHAPES.gptList,
    overview: { stage: "further", lines: [["tacklebox gpt list", "saved assistants; show, add, remove"]] },
    takes: {},
    load: () => import("../commands/gpt/list.ts"),
  }),

  command({
    name: "show",
    summary: "show one assistant in full",
    example: "tacklebox gpt show reader",
    json: MANAGE_JSON_SHAPES.gpt,
    takes: { key: argument("the GPT") },
    load: () => import("../commands/gpt/show.ts"),
  }),

  command({
    name: "add",
    summary: "save an assistant: instructions, a model, tools, and who decides about calls",
    example: 'tacklebox gpt add reader --instructions "Answer from the files." --server files',
    json: MANAGE_JSON_SHAPES.gpt,
    more: `
  tacklebox gpt add reader --instructions - < reader.md
  tacklebox gpt add reader --tool files:write_file=off --approval trusted-only --trust files:read_text_file
Assistants of the config file are changed there, under 'gpts'.`,
    takes: {
      key: argument("what to write after --gpt"),
      name: text("--name <text>", "what to call it; the key when left out"),
      description: text("--description <text>", "what it is for"),
      instructions: text("--instructions <text>", "what it is told before every conversation; - is stdin"),
      model: text("--model <name>", "the model that answers; the default one when left out"),
      servers: texts("--server <name>", "a server it may use, once for each; all when left out"),
      tools: texts("--tool <server:tool=mode>", "always, manual, agent or off, for one tool"),
      trusted: texts("--trust <server:tool>", "a tool that runs without asking"),
      approval: oneOfOr("--approval <mode>", "who decides about calls", APPROVAL_MODES, "always-ask"),
    },
    load: () => import("../commands/gpt/add.ts"),
  }),

  command({
    name: "remove",
    summary: "remove a saved assistant",
    example: "tacklebox gpt remove reader",
    json: MANAGE_JSON_SHAPES.gptRemove,
    takes: { key: argument("the GPT") },
    load: () => import("../commands/gpt/remove.ts"),
  }),
]);
