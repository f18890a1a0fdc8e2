import { closeSync, openSync, writeSync } from "node:fs";
import { createCallCards } from "../../apps/tacklebox/src/chat/call-cards.ts";
import { followTurn } from "../../apps/tacklebox/src/chat/follow-turn.ts";
import { createScreen } from "../../apps/tacklebox/src/chat/screen.ts";
import type { Sink, Terminal } from "../../apps/tacklebox/src/io.ts";
import { choosePaint } from "../../apps/tacklebox/src/output/colour.ts";
import { createScriptedEngine } from "../../apps/tacklebox/src/testing/scripted-engine.ts";
import { systemClock } from "../../packages/core/src/index.ts";
import { numbered, type Told, toldRuns } from "./told-runs.ts";

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
const silent = async () => ({ kind: "silent", why: "withdrawn" }) as const;

/** What it costs to show an answer: from the events of a run to the bytes a terminal is sent. */
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
  const { engine } = createScriptedEngine({ runs: toldRuns(() => answer(pieces)) });
  const ports = {
    engine,
    screen,
    cards,
    person: { choose: silent, readText: silent, holdEarlier: () => () => undefined },
    sessionBegun: () => undefined,
    cancelRun: () => undefined,
  };
  const once = () => followTurn({ prompt: [] }, ports, NEVER);
  await once();
  const before = process.cpuUsage();
  await once();
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

async function* answer(pieces: number): Told {
  yield numbered({ type: "run-started", runId: "r", sessionId: "s", model: "bench" });
  for (let piece = 0; piece < pieces; piece += 1) {
    // Tokens of a network come in turns of the event loop; a few of them at once.
    if (piece % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
    yield numbered({ type: "text", text: WORDS[piece % WORDS.length] ?? "" });
  }
  yield numbered({ type: "run-ended", runId: "r", end: { reason: "done" } });
}
