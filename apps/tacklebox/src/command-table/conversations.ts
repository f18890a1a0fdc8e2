import { argument, count, negatedFlag, oneOf, optionalArgument, text, texts } from "../command-line/parameters.ts";
import { type CommandRow, checkedCommand, command } from "../command-line/row.ts";
import { JSON_SHAPES } from "../output/json/json-shapes.ts";
import { RUN_JSON_SHAPE } from "../output/json/run-shapes.ts";
import { APPROVAL_MODES } from "./approval-modes.ts";

/** The commands with which people and editors prompt models. */
export const CONVERSATIONS: readonly CommandRow[] = [
  command({
    name: "chat",
    summary: "talk with a model that has every tool, and decide about each call",
    example: "tacklebox chat --gpt clerk",
    json: RUN_JSON_SHAPE,
    more: `
You can type at once; servers connect meanwhile. Each call is shown with its exact arguments and waits for your answer:
once, for the session, always, edited, or no. A server may ask you something in the middle of its call; you are told
which one asks. /help lists what you can look at and change; Ctrl-C cancels what runs, twice it quits. Calls wait for
you (--approve always-ask) unless the GPT, the server or the tool says otherwise.
From a pipe each line is a prompt; nobody can answer there, so a call that would have to ask is denied and the model is
told. With --json the events are those of \`tacklebox run --json\`. What you typed is kept in chat-history in the data
folder, readable by you alone.

Exit codes: 0 you left, 1 could not start (config, required server, no such model, GPT or session), 130 interrupted;
from a pipe, that of the last prompt that did not come to a good end, as of \`tacklebox run\`.`,
    overview: { stage: "begin", lines: [["tacklebox chat", "talk with a model that has all of your tools"]] },
    takes: {
      gpt: text("--gpt <key>", "a saved assistant: its instructions, model, tools and approval mode"),
      model: text("--model <name>", "the model that answers"),
      session: text("--session <id>", "go on with this conversation"),
      approve: oneOf("--approve <mode>", "who decides about calls", APPROVAL_MODES),
      colour: negatedFlag("--no-color", "use no colours; NO_COLOR in the environment does the same"),
    },
    load: () => import("../commands/chat.ts"),
  }),

  checkedCommand({
    name: "search",
    summary: "find tools by task, the best match first",
    example: 'tacklebox search "rename a file"',
    json: JSON_SHAPES.search,
    more: `
The search looks at the names, servers, descriptions and parameters of tools; nothing is sent anywhere unless
toolbox.search names a model. The score is 1 for a tool that is named, and otherwise says from 0 to 1 how well the tool
fits the task. Models search in the same way. Tools that may not be called are not found.`,
    overview: {
      stage: "look around",
      lines: [['tacklebox search "rename a file"', "find tools by task"]],
    },
    takes: {
      words: argument("the task, or a tool's name"),
      limit: count("--limit <count>", "how many at most", 10),
    },
    check: (given) =>
      given.words.trim() === ""
        ? { kind: "refused", message: 'describe the task, such as: tacklebox search "rename a file"' }
        : { kind: "ok", options: given },
    load: () => import("../commands/search.ts"),
  }),

  command({
    name: "run",
    summary: "work a prompt to its end with a model that has every tool",
    example: 'tacklebox run "which of my files mention tacklebox?" --approve auto',
    json: RUN_JSON_SHAPE,
    more: `
The prompt is the argument, then what is piped in, a blank line between them; - is stdin alone. Beside a
prompt, a socket as stdin that says nothing for 3 s is left alone. The model's text goes to stdout as it comes; on
stderr is what failed and, on a terminal, each call and the session to go on with.
Calls run without asking (--approve auto) unless the GPT, the server or the tool says otherwise; nobody can answer
here, so a call that would have to ask is denied and the model is told.
The model is the one of --model, of the GPT, of the session, or the first of: models in the config file,
OPENAI_API_KEY, ANTHROPIC_API_KEY (each with its optional _BASE_URL and _MODEL), a local Ollama, the demo model.

Exit codes: 0 the model came to its end, 1 could not start (config, required server, no such model, GPT or session),
2 usage, 3 the model failed, refused, was cut off or asked for tools too often, 130 interrupted. SIGTERM lets the run
end (10 s at most) but makes no new calls.`,
    overview: {
      stage: "work",
      lines: [['tacklebox run "what is in my files?"', "one prompt, worked to its end"]],
    },
    takes: {
      prompt: optionalArgument("what to do, or - to read it from stdin"),
      gpt: text("--gpt <key>", "a saved assistant: its instructions, model, tools and approval mode"),
      model: text("--model <name>", "the model that answers"),
      approve: oneOf("--approve <mode>", "who decides about calls", APPROVAL_MODES),
      session: text("--session <id>", "go on with this conversation"),
      tools: texts("--tool <name>", "put this tool into the session, as name or server:tool; more than once"),
      without: texts("--without <name>", "take this tool out of the session; more than once"),
    },
    load: () => import("../commands/run.ts"),
  }),

  command({
    name: "acp",
    summary: "serve an editor that speaks the Agent Client Protocol",
    example: "tacklebox acp --config tacklebox.yaml",
    json: "no output of its own: stdout is the protocol",
    more: `
Speaks the Agent Client Protocol (version 1) on stdin and stdout until stdin is closed. Editors start it by themselves;
docs/editors.md says how to tell them. MCP servers that the editor brings live as long as its session; those of the config
file are there for every session. Needs no config file.

Exit codes: 0 the editor closed stdin or sent SIGTERM, 1 could not start (config, data folder, no such GPT; the editor is
told as well), 2 usage, 130 interrupted.`,
    overview: {
      stage: "work",
      lines: [["tacklebox acp", "serve an editor: Zed, JetBrains, Emacs, Neovim"]],
    },
    takes: { gpt: text("--gpt <key>", "the saved assistant that sessions begin with") },
    load: () => import("../commands/acp.ts"),
  }),
];
