import { join } from "node:path";
import { dataFolder } from "../config-file/folders.ts";
import type { Io } from "../io.ts";
import { choosePaint } from "../output/colour.ts";
import { VERSION } from "../version.ts";
import type { ChatOptions } from "./chat-options.ts";
import type { Complete } from "./complete.ts";
import { openHistory } from "./history.ts";
import { openKeyboard } from "./keyboard.ts";
import { createLinePerson } from "./line-person.ts";
import { type ChatListening, listen } from "./listen.ts";
import { wrapLines } from "./markdown/word-wrap.ts";
import type { Person, PersonReply } from "./person.ts";
import { createPlainScreen, createScreen, type Screen } from "./screen.ts";
import { createTerminalPerson } from "./terminal-person.ts";

/** What is there before the engine: a screen, a prompt, and whoever sits at it. Loads nothing of the engine. */
export interface ChatFront {
  readonly screen: Screen;
  readonly person: Person;
  readonly signals: ChatListening;
  /** The first thing they say, which may be said before anything can be made of it. */
  readonly first: Promise<PersonReply>;
  /** From now on the Tab key knows tools, and what was typed can be kept. */
  engineOpened(parts: EngineParts): void;
  /** Resolves when what was typed so far is kept, or cannot be: for that the engine is needed. */
  settled(): Promise<void>;
  /** Leaves the terminal as it was. */
  close(): Promise<void>;
}

interface EngineParts {
  readonly complete: Complete;
  /** Takes secrets out of what is kept. */
  readonly redact: (text: string) => Promise<string>;
}

export function openChatFront(io: Io, options: ChatOptions): ChatFront {
  const screen = openScreen(io, options);
  const signals = listen(io.control);
  let engineOpened: ChatFront["engineOpened"] = () => undefined;
  let giveUp: () => void = () => undefined;
  const parts = new Promise<EngineParts>((resolve, reject) => {
    engineOpened = resolve;
    giveUp = () => reject(new Error("The engine was not opened"));
  });
  parts.catch(() => undefined);
  const history = openHistory(join(dataFolder(io), "chat-history"), async (text) => (await parts).redact(text));
  screen.print(wrapLines(`Tacklebox ${VERSION}. Say what to do, or /help. Ctrl-C twice quits.`, "dim", screen));
  const person = openPerson();
  const stopRestoring = io.control.onExit(() => person.close());

  function openPerson(): Person {
    const { terminal } = io;
    if (terminal === undefined || io.env.TERM === "dumb") {
      // Where the answer goes to a file, the question still has to be seen.
      const output = io.stdoutIsTerminal ? io.stdout : io.stderr;
      return createLinePerson(io.stdin, (text) => void output.write(text));
    }
    const keyboard = openKeyboard(io.stdin, terminal, {
      write: (text) => void io.stdout.write(text),
      interrupted: signals.cancel,
      gone: signals.leave,
    });
    const complete: Complete = async (draft) => (await parts).complete(draft);
    return createTerminalPerson({ keyboard, screen, terminal, history, complete });
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
