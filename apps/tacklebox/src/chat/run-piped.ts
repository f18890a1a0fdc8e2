import { systemClock } from "@tacklebox/core";
import type { Context } from "../command-options.ts";
import { forModel, withStartedEngineEvenUnconfigured } from "../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { plain } from "../output/colour.ts";
import { printProblems } from "../output/print.ts";
import { createJsonReport, createTextReport } from "../output/reports/run-report.ts";
import type { ChatOptions } from "./chat-options.ts";
import { createLinePerson } from "./line-person.ts";
import { openConversation } from "./open-conversation.ts";
import { runPipedChat } from "./piped-chat.ts";
import { createPlainScreen } from "./terminal/screen.ts";
import { createCallCards } from "./turn/call-cards.ts";

const PIPED_COLUMNS = 100;

/** Runs a chat whose lines are piped in, with no one there to answer. */
export function runPiped(context: Context, options: ChatOptions): Promise<ExitCode> {
  const { io } = context;
  return withStartedEngineEvenUnconfigured(
    context,
    forModel(options, { metricsPort: options.metricsPort }),
    async ({ engine, line, reloadConfig, interrupted, terminated }) => {
      const screen = createPlainScreen(io.stdout, () => PIPED_COLUMNS, plain);
      const cards = createCallCards(screen, systemClock);
      const settings = await openConversation(options, { engine, screen, cards, reloadConfig });
      if (typeof settings === "string") {
        await printProblems(io, [settings]);
        return EXIT.couldNotStart;
      }
      const lines = createLinePerson(io.stdin, () => undefined, systemClock);
      try {
        const signal = AbortSignal.any([interrupted, terminated, io.stdout.gone]);
        const createReport = () => (options.json ? createJsonReport(io) : createTextReport(io, line));
        const print = (text: string) => io.stdout.write(text);
        return await runPipedChat(
          { engine, screen, cards, reloadConfig, settings, lines, createReport, print },
          signal,
        );
      } finally {
        lines.close();
      }
    },
  );
}
