import { systemClock } from "@tacklebox/core";
import type { Context } from "../command-options.ts";
import { oneShot, withStartedEngineEvenUnconfigured } from "../engine/lend.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { plain } from "../output/colour.ts";
import { printProblems } from "../output/print.ts";
import { createJsonReport, createTextReport } from "../output/run-report.ts";
import { createCallCards } from "./call-cards.ts";
import type { ChatOptions } from "./chat-options.ts";
import { createLinePerson } from "./line-person.ts";
import { openTalk } from "./open-talk.ts";
import { runPipedChat } from "./piped-chat.ts";
import { createPlainScreen } from "./screen.ts";

const PIPED_COLUMNS = 100;

/** A chat line by line, with nobody there to answer. */
export function runPiped(context: Context, options: ChatOptions): Promise<ExitCode> {
  const { io } = context;
  return withStartedEngineEvenUnconfigured(
    context,
    oneShot(options),
    async ({ engine, line, interrupted, terminated }) => {
      const screen = createPlainScreen(io.stdout, () => PIPED_COLUMNS, plain);
      const cards = createCallCards(screen, systemClock);
      const talk = await openTalk(options, { engine, screen, cards });
      if (typeof talk === "string") {
        await printProblems(io, [talk]);
        return EXIT.couldNotStart;
      }
      const lines = createLinePerson(io.stdin, () => undefined);
      try {
        const signal = AbortSignal.any([interrupted, terminated, io.stdout.gone]);
        const createReport = () => (options.json ? createJsonReport(io) : createTextReport(io, line));
        const print = (text: string) => io.stdout.write(text);
        return await runPipedChat({ engine, screen, cards, talk, lines, createReport, print }, signal);
      } finally {
        lines.close();
      }
    },
  );
}
