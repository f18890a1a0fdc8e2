import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Clock } from "@tacklebox/core";
import type { Choice, Chosen, NoReply, Person, PersonReply } from "./person.ts";
import { QUIET_MS } from "./terminal/answer-keys.ts";

/**
 * A person at a terminal that is read line by line, because it cannot be drawn on. `ask` writes the prompt. A line
 * answers a choice only if it comes alone: lines that come together are text for the next prompt.
 */
export function createLinePerson(stdin: Readable, ask: (text: string) => void, clock: Pick<Clock, "after">): Person {
  const lines: string[] = [];
  const waiting: ((line: string | undefined) => void)[] = [];
  /** What was typed while the person was asked something, for the next prompt. */
  const kept: string[] = [];
  let hasEnded = false;
  const input = createInterface({ input: stdin, terminal: false });
  input.on("line", (line) => {
    const reader = waiting.shift();
    if (reader === undefined) lines.push(line);
    else reader(line);
  });
  input.on("close", () => {
    hasEnded = true;
    for (const reader of waiting.splice(0)) reader(undefined);
  });

  function readLine(signal: AbortSignal): Promise<PersonReply> {
    return new Promise((resolve) => {
      const endWithoutReply = (why: NoReply) => resolve({ kind: "none", why });
      const take = (line: string | undefined) => {
        signal.removeEventListener("abort", giveUp);
        if (line === undefined) endWithoutReply("left");
        else resolve({ kind: "text", text: line });
      };
      const giveUp = () => {
        const at = waiting.indexOf(take);
        if (at !== -1) waiting.splice(at, 1);
        endWithoutReply("withdrawn");
      };
      if (signal.aborted) return endWithoutReply("withdrawn");
      const [earlier] = lines.splice(0, 1);
      if (earlier !== undefined || hasEnded) return take(earlier);
      signal.addEventListener("abort", giveUp, { once: true });
      waiting.push(take);
    });
  }

  /** Waits a moment. Returns whether no line came in it; lines that did are kept. */
  async function isQuiet(signal: AbortSignal): Promise<boolean> {
    await new Promise<void>((resolve) => {
      const end = () => {
        stop();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const stop = clock.after(QUIET_MS, end);
      signal.addEventListener("abort", end);
      if (signal.aborted) end();
    });
    const came = lines.splice(0);
    kept.push(...came);
    return came.length === 0;
  }

  /** Reads a line that came alone. Undefined if it did not: then it is kept. */
  async function readAlone(question: string, signal: AbortSignal): Promise<PersonReply | undefined> {
    while (!(await isQuiet(signal)));
    ask(question);
    const reply = await readLine(signal);
    if (reply.kind === "none") return reply;
    const place = kept.length;
    if (await isQuiet(signal)) return reply;
    kept.splice(place, 0, reply.text);
    ask(KEPT);
    return undefined;
  }

  return {
    readPrompt(signal) {
      lines.unshift(...kept.splice(0));
      ask("> ");
      return readLine(signal);
    },
    readText({ label, initial = "", hint }, signal) {
      if (hint !== undefined) ask(`${hint}\n`);
      ask(initial === "" ? label : `Now: ${initial}\n${label}`);
      return readLine(signal);
    },
    async choose(choices: readonly Choice[], signal): Promise<Chosen> {
      const offered = `${choices.map(({ key, label }) => `${key} ${label}`).join(", ")}? `;
      let selected: Choice | undefined;
      for (;;) {
        const reply = await readAlone(selected === undefined ? offered : toConfirm(selected), signal);
        if (reply?.kind === "none") return reply;
        const text = reply?.text.trim().toLowerCase();
        if (text === "" && selected !== undefined) return { kind: "chosen", key: selected.key };
        selected = choices.find(({ key }) => key === text);
        if (selected !== undefined && selected.enter === undefined) return { kind: "chosen", key: selected.key };
        if (selected === undefined && reply !== undefined && text !== "") {
          kept.push(reply.text);
          ask(KEPT);
        }
      }
    },
    close: () => input.close(),
  };
}

const KEPT = "That is kept for your next prompt.\n";

function toConfirm({ key, enter = "" }: Choice): string {
  return `${key} selected: Enter ${enter}, anything else goes back. `;
}
