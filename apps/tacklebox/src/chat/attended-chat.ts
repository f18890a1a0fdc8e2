import { type StartProblem, systemClock } from "@tacklebox/core";
import type { Context } from "../command-options.ts";
import { type Opened, openEngine } from "../engine/open.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { printProblems, printStartProblems } from "../output/print.ts";
import { describeChanges } from "../output/reports/reload-report.ts";
import type { ChatFront } from "./chat-front.ts";
import type { ChatOptions } from "./chat-options.ts";
import type { ChatSignalSource } from "./chat-signals.ts";
import type { ConversationSettings } from "./conversation-settings.ts";
import { describeStart } from "./describe-start.ts";
import { wrapLines } from "./markdown/word-wrap.ts";
import { openConversation } from "./open-conversation.ts";
import { runChat } from "./run-chat.ts";
import { createComplete } from "./slash/complete.ts";
import type { Screen } from "./terminal/screen.ts";
import { createCallCards } from "./turn/call-cards.ts";
import { watchServers } from "./watch-servers.ts";
import { watchTools } from "./watch-tools.ts";

/** Runs a chat with a person: opens the engine and the conversation, and connects servers while the person types. */
export async function runAttendedChat(context: Context, options: ChatOptions, front: ChatFront): Promise<ExitCode> {
  const { io } = context;
  const { screen, signals, person } = front;
  const opened = await openEngine(context, {
    common: options,
    config: "optional-hint",
    answersQuestions: true,
    // The prompt is on the screen already; the command asks before that.
    mayAsk: false,
    defaultLevel: "warn",
    longRunning: {
      metricsPort: options.metricsPort,
      onReload: (changes) =>
        screen.print(wrapLines(describeChanges(changes, "The config file changed"), "dim", screen)),
    },
    writeLog: (text) =>
      io.stderrIsTerminal ? screen.print(wrapLines(text, "yellow", screen)) : void io.stderr.write(text),
  });
  if (opened.kind === "refused") return refuse(opened.messages);

  const { engine, reloadConfig } = opened;
  const cards = createCallCards(screen, systemClock);
  try {
    const settings = await openConversation(options, { engine, screen, cards, reloadConfig });
    if (typeof settings === "string") return await refuse([settings]);
    if (settings.shown !== undefined) screen.print(settings.shown);
    front.engineOpened({ complete: createComplete(engine), redact: (text) => engine.secrets.redact(text) });
    const background = startInBackground(opened, settings, screen, signals);
    try {
      const chatDeps = { engine, screen, person, cards, reloadConfig, settings, ready: background.ready };
      const exitCode = await runChat(chatDeps, signals, front.first);
      // Servers that are still connecting are not waited for.
      signals.leave();
      screen.close();
      const problems = await background.started;
      await printStartProblems(io, problems, options);
      if (problems.length > 0) return EXIT.couldNotStart;
      if (settings.sessionId !== undefined)
        await io.stdout.write(
          wrapLines(
            `To continue: /sessions 1 in the next chat, or\ntacklebox chat --session ${settings.sessionId}`,
            "dim",
            screen,
          ),
        );
      return exitCode;
    } finally {
      background.close();
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
  /** Resolves when the servers are up, or were waited for long enough. Never rejects. */
  readonly ready: Promise<void>;
  close(): void;
}

/** Connects the servers while the person types. The chat ends if something required is missing. */
function startInBackground(
  { engine, ...opened }: Opened,
  settings: ConversationSettings,
  screen: Screen,
  signals: ChatSignalSource,
): Backend {
  const watch = watchServers(engine, screen);
  const tools = watchTools(engine, (text) => screen.print(wrapLines(text, "dim", screen)));
  const start = async () => {
    try {
      const problems = await opened.start(signals.over, { kind: "join-later" });
      if (problems.length > 0) signals.leave();
      return problems;
    } catch (error) {
      signals.leave();
      throw error;
    }
  };
  const announce = async () => {
    await watch.started();
    await tools.started();
    if (signals.over.aborted) return;
    const text = await describeStart(engine, settings);
    if (!signals.over.aborted) screen.print(wrapLines(text, "dim", screen));
  };
  const started = start();
  // A failed start is handled where `started` is awaited.
  const ready = started.then(() => opened.untilJoined(signals.over, "to-begin")).catch(() => undefined);
  const reported = started.then(() => opened.untilJoined(signals.over, "to-report"));
  // A failed announcement must not end the chat, and no start is announced that failed.
  reported.then(announce).catch(() => undefined);
  const close = () => {
    watch.close();
    tools.close();
  };
  return { started, ready, close };
}
