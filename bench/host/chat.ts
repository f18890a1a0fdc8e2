import { closeSync, openSync, writeSync } from "node:fs";
import { createScreen } from "../../apps/tacklebox/src/chat/terminal/screen.ts";
import { createCallCards } from "../../apps/tacklebox/src/chat/turn/call-cards.ts";
import { followTurn } from "../../apps/tacklebox/src/chat/turn/follow-turn.ts";
import type { Sink, Terminal } from "../../apps/tacklebox/src/io.ts";
import { choosePaint } from "../../apps/tacklebox/src/output/colour.ts";
import { createScriptedEngine } from "../../apps/tacklebox/src/testing/scripted-engine.ts";
import { systemClock } from "../../packages/core/src/index.ts";
import { numbered, type ScriptedEvents, scriptedRuns } from "./scripted-runs.ts";

export interface ChatOptions {
  readonly pieces: number;
}

const TERMINAL: Terminal = {
  columns: () => 80,
  rows: () => 24,
  onResize: () => () => undefined,
  setRaw: () => undefined,
};
const NEVER = new AbortController().signal;
const noReply = async () => ({ kind: "none", why: "withdrawn" }) as const;

/** Measures the cost of displaying an answer, from the events of a run to the bytes sent to the terminal. */
export async function measureChat({ pieces }: ChatOptions): Promise<{ cpuMs: number }> {
  const file = openSync("/dev/null", "w");
  const sink: Sink = {
    gone: NEVER,
    async write(output) {
      writeSync(file, String(output));
    },
  };
  const screen = createScreen(sink, TERMINAL, choosePaint(true, {}));
  const cards = createCallCards(screen, systemClock);
  const { engine } = createScriptedEngine({ runs: scriptedRuns(() => streamAnswer(pieces)) });
  const deps = {
    engine,
    screen,
    cards,
    person: { choose: noReply, readText: noReply, holdTypeAhead: () => () => undefined },
    sessionBegun: () => undefined,
    cancelRun: () => undefined,
  };
  const showAnswer = () => followTurn({ prompt: [] }, deps, NEVER);
  await showAnswer();
  const before = process.cpuUsage();
  await showAnswer();
  const { user, system } = process.cpuUsage(before);
  closeSync(file);
  return { cpuMs: (user + system) / 1_000 };
}

const WORDS = [
  "**Tools** ",
  "are ",
  "called ",
  "`by",
  "_name` ",
  "and ",
  "each ",
  "*call* ",
  "is ",
  "kept.\n",
  "- an ",
  "item\n",
];

async function* streamAnswer(pieces: number): ScriptedEvents {
  yield numbered({ type: "run-started", runId: "r", sessionId: "s", model: "bench" });
  for (let piece = 0; piece < pieces; piece += 1) {
    // Tokens from a network arrive a few at a time, each batch in its own turn of the event loop.
    if (piece % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
    yield numbered({ type: "text", text: WORDS[piece % WORDS.length] ?? "" });
  }
  yield numbered({ type: "run-ended", runId: "r", end: { reason: "done" } });
}
