import { type StartProblem, systemClock } from "@tacklebox/core";
import type { Context } from "../command-options.ts";
import { type Opened, openEngine } from "../engine/open.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { noMetrics } from "../metrics.ts";
import { printProblems, printStartProblems } from "../output/print.ts";
import { createCallCards } from "./call-cards.ts";
import type { ChatFront } from "./chat-front.ts";
import type { ChatOptions } from "./chat-options.ts";
import { createComplete } from "./complete.ts";
import { describeStart } from "./describe-start.ts";
import type { ChatListening } from "./listen.ts";
import { wrapLines } from "./markdown/word-wrap.ts";
import { openTalk } from "./open-talk.ts";
import { runChat } from "./run-chat.ts";
import type { Screen } from "./screen.ts";
import type { ConversationSettings } from "./talk.ts";
import { watchServers } from "./watch-servers.ts";

/** Everything behind the prompt: the engine, the conversation, and servers that connect while the person types. */
export async function runAttendedChat(context: Context, options: ChatOptions, front: ChatFront): Promise<ExitCode> {
  const { io } = context;
  const { screen, signals, person } = front;
  const opened = await openEngine(context, {
    common: options,
    config: "optional-hint",
    answersQuestions: true,
    defaultLevel: "warn",
    metrics: noMetrics,
    writeLog: (text) =>
      io.stderrIsTerminal ? screen.print(wrapLines(text, "yellow", screen)) : void io.stderr.write(text),
  });
  if (opened.kind === "refused") return refuse(opened.messages);

  const { engine } = opened;
  const cards = createCallCards(screen, systemClock);
  try {
    const talk = await openTalk(options, { engine, screen, cards });
    if (typeof talk === "string") return await refuse([talk]);
    if (talk.shown !== undefined) screen.print(talk.shown);
    front.engineOpened({ complete: createComplete(engine), redact: (text) => engine.secrets.redact(text) });
    const behind = startBehind(opened, talk, screen, signals);
    try {
      const { started } = behind;
      const ports = { engine, screen, person, cards, talk, clock: systemClock, started };
      const exitCode = await runChat(ports, signals, front.first);
      // Servers that are still on their way are not waited for.
      signals.leave();
      screen.close();
      const problems = await behind.started;
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
      await front.settled();
    }
  } finally {
    await opened.detach();
  }

  async function refuse(messages: readonly string[]): Promise<ExitCode> {
    signals.leave();
    screen.close();
    await printProblems(io, messages);
    return EXIT.couldNotStart;
  }
}

interface Backend {
  readonly started: Promise<readonly StartProblem[]>;
  close(): void;
}

/** Connects the servers while the person types. Something required that is missing ends the chat. */
function startBehind(
  { engine, ...opened }: Opened,
  talk: ConversationSettings,
  screen: Screen,
  signals: ChatListening,
): Backend {
  const watch = watchServers(engine, screen);
  const start = async () => {
    try {
      const problems = await opened.start(signals.over);
      await watch.started();
      if (problems.length > 0) signals.leave();
      return problems;
    } catch (error) {
      signals.leave();
      throw error;
    }
  };
  const announce = async () => {
    if (signals.over.aborted) return;
    const text = await describeStart(engine, talk);
    if (!signals.over.aborted) screen.print(wrapLines(text, "dim", screen));
  };
  const started = start();
  // What is only told must not end the chat; what keeps it from starting is found by whoever waits for it.
  started.then(announce).catch(() => undefined);
  return { started, close: () => watch.close() };
}
