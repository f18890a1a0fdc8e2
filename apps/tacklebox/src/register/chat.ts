import { Option } from "commander";
import type { Io } from "../io.ts";
import { RUN_JSON_SHAPE } from "../output/run-shapes.ts";
import { type Registration, text, toCommon, type Values } from "./registration.ts";
import { APPROVAL_MODES } from "./run.ts";

const MORE = `
You can type at once; servers connect meanwhile. Each call is shown with its exact arguments and waits for your answer:
once, for the session, always, edited, or no. A server may ask you something in the middle of its call; you are told
which one asks. /help lists what you can look at and change; Ctrl-C cancels what runs, twice it quits. Calls wait for
you (--approve always-ask) unless the GPT, the server or the tool says otherwise.
From a pipe each line is a prompt; nobody can answer there, so a call that would have to ask is denied and the model is
told. With --json the events are those of \`tacklebox run --json\`. What you typed is kept in chat-history in the data
folder, readable by you alone.

Exit codes: 0 you left, 1 could not start (config, required server, no such model, GPT or session), 130 interrupted;
from a pipe, that of the last prompt that did not come to a good end, as of \`tacklebox run\`.`;

/** The command for a person and a model. */
export function registerChat({ addCommand, context, exitWith }: Registration, io: Io): void {
  addCommand("chat", "talk with a model that has every tool, and decide about each call", {
    example: "tacklebox chat --gpt clerk",
    json: RUN_JSON_SHAPE,
    more: MORE,
  })
    .option("--gpt <key>", "a saved assistant: its instructions, model, tools and approval mode")
    .option("--model <name>", "the model that answers")
    .option("--session <id>", "go on with this conversation")
    .addOption(new Option("--approve <mode>", "who decides about calls").choices(APPROVAL_MODES))
    .option("--no-color", "use no colours; NO_COLOR in the environment does the same")
    .action(async (options: Values) => {
      const { run } = await import("../commands/chat.ts");
      exitWith(
        await run(io, context, {
          ...toCommon(options),
          gpt: text(options.gpt),
          model: text(options.model),
          session: text(options.session),
          approve: APPROVAL_MODES.find((mode) => mode === options.approve),
          colour: options.color !== false,
        }),
      );
    });
}
