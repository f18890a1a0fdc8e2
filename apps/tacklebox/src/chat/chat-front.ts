import { join } from "node:path";
// Not from the whole core: the prompt appears before that is loaded.
import { systemClock } from "@tacklebox/core/system-clock";
import { dataFolder } from "../config-file/folders.ts";
import type { Io } from "../io.ts";
import { choosePaint } from "../output/colour.ts";
import { VERSION } from "../version.ts";
import type { ChatOptions } from "./chat-options.ts";
import { type ChatSignalSource, watchChatSignals } from "./chat-signals.ts";
import { createLinePerson } from "./line-person.ts";
import { wrapLines } from "./markdown/word-wrap.ts";
import type { Person, PersonReply } from "./person.ts";
import type { Complete } from "./slash/complete.ts";
import { openHistory } from "./terminal/history.ts";
import { openKeyboard } from "./terminal/keyboard.ts";
import { createPlainScreen, createScreen, type Screen } from "./terminal/screen.ts";
import { createTerminalPerson } from "./terminal/terminal-person.ts";

/** The part of a chat that works before the engine is loaded: the screen, the prompt and the person. */
export interface ChatFront {
  readonly screen: Screen;
  readonly person: Person;
  readonly signals: ChatSignalSource;
  /** The person's first line, which may arrive before the engine is ready. */
  readonly first: Promise<PersonReply>;
  /** Lets the Tab key complete tools, and the history redact and save what was typed. */
  engineOpened(parts: EngineParts): void;
  /** Resolves when what was typed so far is saved, or could not be. Saving needs the engine. */
  settled(): Promise<void>;
  /** Restores the terminal. */
  close(): Promise<void>;
}

interface EngineParts {
  readonly complete: Complete;
  /** Redacts secrets before a line is saved. */
  readonly redact: (text: string) => Promise<string>;
}

export function openChatFront(io: Io, options: ChatOptions): ChatFront {
  const screen = openScreen(io, options);
  const signals = watchChatSignals(io.control);
  let engineOpened: ChatFront["engineOpened"] = () => undefined;
  let giveUp: () => void = () => undefined;
  const parts = new Promise<EngineParts>((resolve, reject) => {
    engineOpened = resolve;
    giveUp = () => reject(new Error("The engine was not opened"));
  });
  parts.catch(() => undefined);
  const history = openHistory(join(dataFolder(io), "chat-history"), async (text) => (await parts).redact(text));
  screen.print(
    wrapLines(`Tacklebox ${VERSION}. Type what you want done, or /help. Press Ctrl-C twice to quit.`, "dim", screen),
  );
  const person = openPerson();
  const stopRestoring = io.control.onExit(() => person.close());

  function openPerson(): Person {
    const { terminal } = io;
    if (terminal === undefined || io.env.TERM === "dumb") {
      // If the output goes to a file, the prompt must still be visible.
      const output = io.stdoutIsTerminal ? io.stdout : io.stderr;
      return createLinePerson(io.stdin, (text) => void output.write(text), systemClock);
    }
    const keyboard = openKeyboard(io.stdin, terminal, {
      write: (text) => void io.stdout.write(text),
      interrupted: signals.cancel,
      gone: signals.leave,
      clock: systemClock,
    });
    const complete: Complete = async (draft) => (await parts).complete(draft);
    return createTerminalPerson({ keyboard, screen, terminal, history, complete, clock: systemClock });
  }

  return {
    screen,
    person,
    signals,
    first: person.readPrompt(signals.over),
    engineOpened: (opened) => engineOpened(opened),
    settled: () => history.settled(),
    async close() {
      giveUp();
      screen.close();
      person.close();
      stopRestoring();
      signals.close();
      await history.settled();
    },
  };
}

function openScreen(io: Io, { colour }: ChatOptions): Screen {
  const paint = choosePaint(io.stdoutIsTerminal && colour, io.env);
  if (io.terminal !== undefined && io.env.TERM !== "dumb") return createScreen(io.stdout, io.terminal, paint);
  return createPlainScreen(io.stdout, () => io.columns ?? 80, paint);
}
