import { argument, count, negatedFlag, oneOf, optionalArgument, text, texts } from "../command-line/parameters.ts";
import { type CommandRow, checkedCommand, command } from "../command-line/row.ts";
import { JSON_SHAPES } from "../output/json/json-shapes.ts";
import { RUN_JSON_SHAPE } from "../output/json/run-shapes.ts";
import { APPROVAL_MODES } from "./approval-modes.ts";
import { metricsPort } from "./metrics-port.ts";

/** The commands with which people and editors prompt models. */
export const CONVERSATIONS: readonly CommandRow[] = [
  command({
    name: "chat",
    section: "Talk",
    summary: "chat with a model that can use your tools",
    example: "tacklebox chat --gpt clerk",
    json: RUN_JSON_SHAPE,
    more: `
You can type right away while servers connect. Before a call is made, you see its exact arguments and decide: once, for
the session, always, with other arguments, or no. That is the default (--approve always-ask), unless the GPT, the server
or the tool says otherwise. A server can also ask you something during a call; you are told which server it is.

Type /help to see what else you can do. Ctrl-C cancels what is running; press it twice to quit. No config file is
needed: without one, you can talk to a model, but it has no tools. What you type is kept in the file chat-history in the
data folder, which only you can read.

When input is piped in, each line is a prompt. Nobody can be asked then, so a call that needs your approval is denied,
and the model is told. With --json, the output is the events of \`tacklebox run --json\`.

Exit codes:
  0    you left
  1    could not start: config, required server, unknown model, GPT or session
  130  interrupted
When input is piped in, the exit code is that of the last prompt that failed, as in \`tacklebox run\`.`,
    takes: {
      gpt: text("--gpt <key>", "use this saved assistant: its instructions, model, tools and approval mode"),
      model: text("--model <name>", "use this model"),
      session: text("--session <id>", "continue this conversation"),
      approve: oneOf("--approve <mode>", "who approves calls", APPROVAL_MODES),
      colour: negatedFlag("--no-color", "no colours (the same as setting NO_COLOR)"),
      metricsPort: metricsPort(),
    },
    load: () => import("../commands/chat.ts"),
  }),

  checkedCommand({
    name: "search",
    section: "Tools and calls",
    summary: "find tools by task",
    example: 'tacklebox search "rename a file"',
    json: JSON_SHAPES.search,
    more: `
The best match comes first. Tools are found by the words and the meaning of their names, servers, descriptions and
parameters; nothing is sent anywhere unless toolbox.search in the config names a model. A score of 1 means that you named
the tool; otherwise the score says how well the tool fits the task, from 0 to 1. Models search in the same way. Tools that
cannot be called are not found.`,
    takes: {
      words: argument("a task, or the name of a tool"),
      limit: count("--limit <count>", "show at most this many", 10),
    },
    check: (given) =>
      given.words.trim() === ""
        ? { kind: "refused", message: 'describe the task, such as: tacklebox search "rename a file"' }
        : { kind: "ok", options: given },
    load: () => import("../commands/search.ts"),
  }),

  command({
    name: "run",
    section: "Talk",
    summary: "run one prompt to completion",
    example: 'tacklebox run "which of my files mention tacklebox?" --approve auto',
    json: RUN_JSON_SHAPE,
    more: `
The prompt is the argument, followed by whatever is piped in, with a blank line in between; - means stdin alone. The
answer goes to stdout as it arrives. Failures go to stderr, and on a terminal also each call and how to continue the
conversation.

Calls run without asking (--approve auto), unless the GPT, the server or the tool says otherwise. Nobody can be asked
here, so a call that needs approval is denied, and the model is told. No config file is needed: without one, the model
has no tools.

The model is the one named by --model, the GPT or the session. If none names one, it is the first of these: a model of
the config file, OPENAI_API_KEY, ANTHROPIC_API_KEY (each with an optional _BASE_URL and _MODEL), a local Ollama, the
built-in demo model.

Exit codes:
  0    the model finished
  1    could not start: config, required server, unknown model, GPT or session
  2    wrong usage
  3    the model failed, refused, was cut off or asked for tools too often
  130  interrupted
After SIGTERM no new calls are made, and the run has 10 s to end. If stdin is a socket, which programs often leave open,
it is ignored unless it sends something within 3 s.`,
    takes: {
      prompt: optionalArgument("the prompt, or - to read it from stdin"),
      gpt: text("--gpt <key>", "use this saved assistant: its instructions, model, tools and approval mode"),
      model: text("--model <name>", "use this model"),
      approve: oneOf("--approve <mode>", "who approves calls", APPROVAL_MODES),
      session: text("--session <id>", "continue this conversation"),
      tools: texts("--tool <name>", "add this tool to the session: name or server:tool; repeatable"),
      without: texts("--without <name>", "remove this tool from the session; repeatable"),
      metricsPort: metricsPort(),
    },
    load: () => import("../commands/run.ts"),
  }),

  command({
    name: "acp",
    section: "Talk",
    summary: "serve an editor that speaks the Agent Client Protocol",
    example: "tacklebox acp --config tacklebox.yaml",
    json: "no output of its own: stdout is the protocol",
    more: `
Your editor starts this command; docs/editors.md says how to set that up for Zed, JetBrains, Emacs and Neovim. It speaks
version 1 of the protocol on stdin and stdout until stdin is closed.

Every session has the servers of your config file, if there is one. The editor can bring servers of its own, which last
as long as their session.

Exit codes:
  0    the editor closed stdin or sent SIGTERM
  1    could not start: config, data folder, unknown GPT; the editor is told too
  2    wrong usage
  130  interrupted`,
    takes: { gpt: text("--gpt <key>", "start sessions with this saved assistant"), metricsPort: metricsPort() },
    load: () => import("../commands/acp.ts"),
  }),
];
