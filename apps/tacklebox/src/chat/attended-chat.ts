import { type Engine, type StartProblem, systemClock } from "@tacklebox/core";
import type { Context } from "../command-options.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { noMetrics } from "../metrics.ts";
import { openEvenUnconfigured } from "../open-configured.ts";
import { printProblems, printStartProblems } from "../output/print.ts";
import { createCallCards } from "./call-cards.ts";
import type { ChatFront } from "./chat-front.ts";
import type { ChatOptions } from "./chat-options.ts";
import { createComplete } from "./complete.ts";
import { describeStart } from "./describe-start.ts";
import type { Listening } from "./listen.ts";
import { wrapLines } from "./markdown/word-wrap.ts";
import { openTalk } from "./open-talk.ts";
import { runChat } from "./run-chat.ts";
import type { Screen } from "./screen.ts";
import { createChatElicitor } from "./server-questions/chat-elicitor.ts";
import type { Talk } from "./talk.ts";
import { watchServers } from "./watch-servers.ts";

/** Everything behind the prompt: the engine, the conversation, and servers that connect while the person types. */
export async function runAttendedChat(context: Context, options: ChatOptions, front: ChatFront): Promise<ExitCode> {
  const { io } = context;
  const { screen, signals, person } = front;
  const elicitor = createChatElicitor();
  const opened = await openEvenUnconfigured(context, {
    common: options,
    elicitor,
    defaultLevel: "warn",
    metrics: noMetrics,
    writeLog: (text) =>
      io.stderrIsTerminal ? screen.print(wrapLines(text, "yellow", screen)) : void io.stderr.write(text),
  });
  if (opened.kind === "refused") return refuse(opened.messages);

  const { engine, redact } = opened;
  const cards = createCallCards(screen, systemClock);
  try {
    const talk = await openTalk(options, { engine, screen, cards, redact });
    if (typeof talk === "string") return await refuse([talk]);
    if (talk.shown !== undefined) screen.print(talk.shown);
    front.engineOpened({ complete: createComplete(engine), redact });
    const behind = startBehind(engine, talk, screen, signals);
    try {
      const { started } = behind;
      const ports = { engine, screen, person, cards, elicitor, talk, redact, clock: systemClock, started };
      const exitCode = await runChat(ports, signals, front.first);
      // Servers that are still on their way are not waited for.
      signals.leave();
      screen.close();
      await behind.started;
      const problems = behind.problems().map((problem) => ({ ...problem, text: redact(problem.text) }));
      await printStartProblems(io, problems);
      if (problems.length > 0) return EXIT.couldNotStart;
      if (talk.sessionId !== undefined)
        await io.stdout.write(
          wrapLines(
            `To go on: /sessions 1 in the next chat, or\ntacklebox chat --session ${talk.sessionId}`,
            "dim",
            screen,
          ),
        );
      return exitCode;
    } finally {
      behind.close();
    }
  } finally {
    await engine.stop(0);
    await opened.close();
  }

  async function refuse(messages: readonly string[]): Promise<ExitCode> {
    signals.leave();
    screen.close();
    await printProblems(io, messages);
    return EXIT.couldNotStart;
  }
}

interface Behind {
  readonly started: Promise<readonly StartProblem[]>;
  problems(): readonly StartProblem[];
  close(): void;
}

/** Connects the servers while the person types. Something required that is missing ends the chat. */
function startBehind(engine: Engine, talk: Talk, screen: Screen, signals: Listening): Behind {
  const watch = watchServers(engine, screen);
  let problems: readonly StartProblem[] = [];
  const start = async () => {
    try {
      const report = await engine.start(signals.over);
      // Whoever left while servers connected did not ask what became of them.
      if (!signals.over.aborted) ({ problems } = report);
    } catch (error) {
      const isWanted = signals.over.aborted;
      signals.leave();
      if (!isWanted) throw error;
    }
    watch.started();
    if (problems.length > 0) signals.leave();
    return problems;
  };
  const announce = async () => {
    if (signals.over.aborted) return;
    const text = await describeStart(engine, talk);
    if (!signals.over.aborted) screen.print(wrapLines(text, "dim", screen));
  };
  const started = start();
  // What is only told must not end the chat; what keeps it from starting is found by whoever waits for it.
  started.then(announce).catch(() => undefined);
  return { started, problems: () => problems, close: () => watch.close() };
}
