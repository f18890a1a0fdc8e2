import type { ApprovalAnswer, CallPart } from "@tacklebox/core";
import {
  asksFor,
  between,
  createRandom,
  createScriptedModel,
  createTestEngine,
  ECHO,
  type Random,
  says,
  scriptedModels,
  testDefinition,
} from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { runChat } from "./run-chat.ts";
import { openTypingDesk } from "./testing/typing-desk.ts";
import { createCallCards } from "./turn/call-cards.ts";

const BURSTS = 2_000;
/** Keys of one burst are at most this far apart. */
const WITHIN_MS = 200;
const LONG_MS = 1_000;
const ERASE = "\u0015";
const ERASE_LINES = `${ERASE}\u007f`.repeat(10);
const ESCAPE = "\u001b";
const PASTE = [`${ESCAPE}[200~`, `${ESCAPE}[201~`] as const;
/** What bursts are made of: the keys of every answer above all. */
const KEYS = [
  ..."ssssaaaayynner".split(""),
  ...["\r", "\r", "\r", "\n", " ", "\t", "x", "S", "A", "Y", "é", "你"],
  ...["\u007f", ERASE, "\u0003", ESCAPE, `${ESCAPE}[A`, `${ESCAPE}[D`, `${ESCAPE}s`, `${ESCAPE}\r`, `${ESCAPE}[`],
];
/** Pressed alone these answer, select, or go back. None is the Enter that confirms what is selected. */
const ALONE = ["s", "s", "s", "a", "a", "y", "n", "e", "r", "x", "\u007f", ESCAPE];

function pick<T>(random: Random, values: readonly [T, ...T[]] | readonly T[]): T {
  const value = values[between(random, 0, values.length - 1)];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

/** Two or more keys, as the chunks that the terminal sends. */
function burst(random: Random): readonly string[] {
  const keys = Array.from({ length: between(random, 2, pick(random, [2, 3, 9])) }, () => pick(random, KEYS));
  // An Enter at the start of a burst comes closest to confirming what is selected.
  if (random() < 0.3) keys[0] = "\r";
  if (random() < 0.15) return [`${PASTE[0]}${keys.join("")}${PASTE[1]}`];
  const chunks: string[] = [];
  for (const key of keys) {
    if (chunks.length > 0 && random() < 0.6) chunks.push(`${chunks.pop()}${key}`);
    else chunks.push(key);
  }
  return chunks;
}

/** A chat with the real engine, whose model asks for calls at every prompt. */
async function openChat() {
  const call = (id: string): Omit<CallPart, "type"> => ({ id, tool: "echo", arguments: { message: id } });
  const turn = ({ messages }: { messages: readonly { role: string }[] }) =>
    messages.at(-1)?.role === "user" ? asksFor(call("one"), call("two"), call("three")) : says("Done.");
  const model = createScriptedModel(Array.from({ length: 100_000 }, () => turn));
  // Digests that take no real time, or the same seed would not do the same.
  const ports = { models: scriptedModels(model), hasher: { sha256: async (text: string) => text } };
  const test = createTestEngine({ servers: [testDefinition("s")], ports });
  test.connector.server("s").tools = [ECHO];
  test.stopAnswering();
  await test.host.start();

  const desk = openTypingDesk(80, test.clock);
  const lasting: ApprovalAnswer[] = [];
  let answers = 0;
  const { approvals } = test.engine;
  const engine = {
    ...test.engine,
    approvals: {
      ...approvals,
      answer(id: string, answer: ApprovalAnswer) {
        answers += 1;
        if (answer.kind === "allow" && (answer.lasting ?? "once") !== "once") lasting.push(answer);
        return approvals.answer(id, answer);
      },
    },
  };
  const settings = { gpt: undefined, model: undefined, sessionId: undefined, approve: undefined };
  const over = new AbortController();
  const signals = { over: over.signal, onInterrupt: () => () => undefined, leave: () => undefined };
  const cards = createCallCards(desk.screen, test.clock);
  const reloadConfig = async () => ({ kind: "no-file" }) as const;
  const shared = { engine, cards, settings, reloadConfig };
  const deps = { ...shared, screen: desk.screen, person: desk.person, ready: Promise.resolve() };
  let isOver = false;
  const run = async () => {
    // Ctrl-C twice at a prompt leaves the chat: here it only begins anew.
    while (!isOver) await runChat(deps, signals, desk.person.readPrompt(over.signal));
  };
  const running = run();
  await desk.settle();
  return {
    ...desk,
    engine: test.engine,
    lasting,
    answers: () => answers,
    async close() {
      isOver = true;
      over.abort();
      await running;
      await test.host.stop();
    },
  };
}

describe("T23 bursts of keys while approvals open and close", () => {
  it.each([18])(
    "never allow anything for a session or for good, seed %i",
    async (seed) => {
      const random = createRandom(seed);
      const chat = await openChat();
      let asked = 0;
      let selected = 0;
      for (let number = 0; number < BURSTS; number += 1) {
        const waiting = await chat.engine.approvals.list();
        if (waiting.length === 0) await chat.type(`${ERASE}go\r`);
        asked += waiting.length > 0 ? 1 : 0;
        // Another door answers, or the person presses one key and reads what it did.
        if (waiting.length > 0 && random() < 0.1)
          await chat.engine.approvals.answer(pick(random, waiting).callId, { kind: "deny" });
        if (random() < 0.6) {
          await chat.type(ERASE_LINES);
          await chat.wait(between(random, WITHIN_MS, LONG_MS));
          await chat.type(pick(random, ALONE));
          await chat.wait(between(random, WITHIN_MS, LONG_MS));
        }
        if (/^[sa] selected: /.test(chat.rows()[0] ?? "")) selected += 1;
        const chunks = burst(random);
        for (const chunk of chunks) {
          await chat.type(chunk);
          await chat.wait(between(random, 0, WITHIN_MS));
        }
        await chat.wait(between(random, 0, LONG_MS));
        const told = `seed ${seed}, burst ${number}: ${JSON.stringify(chunks)}`;
        expect(chat.lasting, told).toEqual([]);
        expect(await chat.engine.grants.list(), told).toEqual([]);
      }
      // The bursts met open questions, answered ones, and such as only waited for Enter.
      expect(asked).toBeGreaterThan(BURSTS / 2);
      expect(chat.answers()).toBeGreaterThan(BURSTS / 20);
      expect(selected).toBeGreaterThan(BURSTS / 20);
      await chat.close();
    },
    60_000,
  );
});
