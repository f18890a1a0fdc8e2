import { type Clock, delay, type Engine, type StartProblem } from "@tacklebox/core";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { CallCards } from "./call-cards.ts";
import { followTurn } from "./follow-turn.ts";
import type { Person, PersonReply } from "./person.ts";
import type { Screen } from "./screen.ts";
import { type ChatState, parseInput } from "./slash-commands.ts";
import { type ConversationSettings, toRunRequest } from "./talk.ts";

export interface ChatDeps {
  readonly engine: Engine;
  readonly screen: Screen;
  readonly person: Person;
  readonly cards: CallCards;
  readonly talk: ConversationSettings;
  readonly clock: Clock;
  /** Resolves when every server is up or has failed, with what keeps the toolbox from starting. */
  readonly started: Promise<readonly StartProblem[]>;
}

/** What the world outside says to a chat that goes on. */
export interface ChatSignals {
  /** The chat is over, whatever it is at: a signal, a terminal that went away, a required server that is not there. */
  readonly over: AbortSignal;
  /** Calls the listener for each Ctrl-C that nothing else took. Returns the function that ends it. */
  onInterrupt(listener: () => void): () => void;
  /** Ends the chat. */
  leave(): void;
}

const PATIENCE_MS = 5_000;
/** As long as a timer can wait. */
const LONGEST_MS = 2 ** 31 - 1;

/** Line after line until the person leaves; the first may have been said already. */
export async function runChat(deps: ChatDeps, signals: ChatSignals, first: Promise<PersonReply>): Promise<ExitCode> {
  const { person, screen, talk } = deps;
  const room: ChatState = deps;
  for (let reading = first; ; reading = person.readPrompt(signals.over)) {
    const said = await reading;
    if (said.kind === "silent") return said.why === "left" ? EXIT.ok : EXIT.interrupted;
    const text = said.text.trim();
    if (text === "") continue;
    const line = parseInput(text);
    if (line.kind === "quit") return EXIT.ok;
    if (line.kind === "unknown") screen.print(`${screen.paint(line.message, "yellow")}\n\n`);
    if (line.kind === "command") screen.print(`${(await line.command.run(line.argument, room)).trimEnd()}\n\n`);
    if (line.kind === "prompt") await workPrompt(text, talk, deps, signals);
  }
}

/** The first Ctrl-C cancels the run, the second leaves. */
async function workPrompt(
  text: string,
  talk: ConversationSettings,
  deps: ChatDeps,
  signals: ChatSignals,
): Promise<void> {
  const cancelled = new AbortController();
  const stopListening = signals.onInterrupt(() => (cancelled.signal.aborted ? signals.leave() : cancelled.abort()));
  const signal = AbortSignal.any([cancelled.signal, signals.over]);
  try {
    await waitForServers(deps, signal);
    const turnPorts = {
      ...deps,
      sessionBegun: (id: string) => {
        talk.sessionId = id;
      },
      cancelRun: () => cancelled.abort(),
    };
    await followTurn(toRunRequest(talk, text), turnPorts, signal);
  } finally {
    stopListening();
  }
}

/** A run uses the servers that are there. Those that are needed are waited for, the others for a moment. */
async function waitForServers({ engine, started, clock }: ChatDeps, signal: AbortSignal): Promise<void> {
  const isAwaited = (await engine.servers.list()).some(({ required, status }) => required && status !== "connected");
  const enough = new AbortController();
  const limit = AbortSignal.any([signal, enough.signal]);
  await Promise.race([started, delay(isAwaited ? LONGEST_MS : PATIENCE_MS, clock, limit)]);
  enough.abort();
}
