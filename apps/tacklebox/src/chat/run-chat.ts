import type { Engine } from "@tacklebox/core";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { type ConversationSettings, toRunRequest } from "./conversation-settings.ts";
import type { Person, PersonReply } from "./person.ts";
import { type ChatState, parseInput } from "./slash/slash-commands.ts";
import type { Screen } from "./terminal/screen.ts";
import type { CallCards } from "./turn/call-cards.ts";
import { followTurn } from "./turn/follow-turn.ts";

export interface ChatDeps extends Pick<ChatState, "reloadConfig"> {
  readonly engine: Engine;
  readonly screen: Screen;
  readonly person: Person;
  readonly cards: CallCards;
  readonly settings: ConversationSettings;
  /** Resolves when the servers are up, or were waited for long enough: a run uses those that are up. Never rejects. */
  readonly ready: Promise<void>;
}

/** Events from outside that affect a running chat. */
export interface ChatSignals {
  /** Aborted when the chat must end: on a signal, a closed terminal, or a missing required server. */
  readonly over: AbortSignal;
  /** Calls the listener for each Ctrl-C that nothing else consumed. Returns a function that removes it. */
  onInterrupt(listener: () => void): () => void;
  /** Ends the chat. */
  leave(): void;
}

/** Handles one line after the other until the person leaves. The first line may have been typed already. */
export async function runChat(deps: ChatDeps, signals: ChatSignals, first: Promise<PersonReply>): Promise<ExitCode> {
  const { person, screen, settings } = deps;
  const state: ChatState = deps;
  for (let reading = first; ; reading = person.readPrompt(signals.over)) {
    const reply = await reading;
    if (reply.kind === "none") return reply.why === "left" ? EXIT.ok : EXIT.interrupted;
    const text = reply.text.trim();
    if (text === "") continue;
    const line = parseInput(text);
    if (line.kind === "quit") return EXIT.ok;
    if (line.kind === "unknown") screen.print(`${screen.paint(line.message, "yellow")}\n\n`);
    if (line.kind === "command") screen.print(`${(await line.command.run(line.argument, state)).trimEnd()}\n\n`);
    if (line.kind === "prompt") await workPrompt(text, settings, deps, signals);
  }
}

/** Runs one prompt. The first Ctrl-C cancels the run, the second ends the chat. */
async function workPrompt(
  text: string,
  settings: ConversationSettings,
  deps: ChatDeps,
  signals: ChatSignals,
): Promise<void> {
  const cancelled = new AbortController();
  const stopListening = signals.onInterrupt(() => (cancelled.signal.aborted ? signals.leave() : cancelled.abort()));
  const signal = AbortSignal.any([cancelled.signal, signals.over]);
  try {
    await unlessAborted(deps.ready, signal);
    const turnDeps = {
      ...deps,
      sessionBegun: (id: string) => {
        settings.sessionId = id;
      },
      cancelRun: () => cancelled.abort(),
    };
    await followTurn(toRunRequest(settings, text), turnDeps, signal);
  } finally {
    stopListening();
  }
}

async function unlessAborted(ready: Promise<void>, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
    void ready.then(resolve);
  });
}
