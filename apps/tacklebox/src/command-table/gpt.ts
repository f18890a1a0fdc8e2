import { argument, oneOfOr, text, texts } from "../command-line/parameters.ts";
import { command, group } from "../command-line/row.ts";
import { MANAGE_JSON_SHAPES } from "../output/json/manage-shapes.ts";
import { APPROVAL_MODES } from "./approval-modes.ts";

/** The commands about saved assistants. None of them starts a server. */
export const GPT = group("gpt", "saved assistants", "Models and conversations", [
  command({
    name: "list",
    summary: "list the saved assistants and those of the config file",
    example: "tacklebox gpt list",
    json: MANAGE_JSON_SHAPES.gptList,
    takes: {},
    load: () => import("../commands/gpt/list.ts"),
  }),

  command({
    name: "show",
    summary: "show one assistant in full",
    example: "tacklebox gpt show reader",
    json: MANAGE_JSON_SHAPES.gpt,
    takes: { key: argument("its key, as `gpt list` shows it") },
    load: () => import("../commands/gpt/show.ts"),
  }),

  command({
    name: "add",
    summary: "save an assistant: instructions, model, tools and approval mode",
    example: `tacklebox gpt add reader --server files \\
    --instructions "Answer from the files."
  tacklebox gpt add reader --instructions - < reader.md
  tacklebox gpt add reader --tool files:write_file=off \\
    --approval trusted-only --trust files:read_text_file`,
    json: MANAGE_JSON_SHAPES.gpt,
    more: `
To change an assistant that the config file defines, edit 'gpts' in that file.`,
    takes: {
      key: argument("a short name to use with --gpt"),
      name: text("--name <text>", "its full name (default: the key)"),
      description: text("--description <text>", "what it is for"),
      instructions: text("--instructions <text>", "what it is told before every conversation; - reads stdin"),
      model: text("--model <name>", "its model (default: as for a run)"),
      servers: texts("--server <name>", "a server it can use; repeatable (default: all)"),
      tools: texts("--tool <server:tool=mode>", "when one tool is offered: always, manual, agent or off; repeatable"),
      trusted: texts("--trust <server:tool>", "a tool that runs without asking; repeatable"),
      approval: oneOfOr("--approval <mode>", "who approves calls", APPROVAL_MODES, "always-ask"),
    },
    load: () => import("../commands/gpt/add.ts"),
  }),

  command({
    name: "remove",
    summary: "remove a saved assistant",
    example: "tacklebox gpt remove reader",
    json: MANAGE_JSON_SHAPES.gptRemove,
    takes: { key: argument("its key, as `gpt list` shows it") },
    load: () => import("../commands/gpt/remove.ts"),
  }),
]);
