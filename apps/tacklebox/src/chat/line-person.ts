import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Choice, Chosen, NoReply, Person, PersonReply } from "./person.ts";

/** A person at a terminal that is read line by line, because it cannot be drawn on. `ask` writes the prompt. */
export function createLinePerson(stdin: Readable, ask: (text: string) => void): Person {
  const lines: string[] = [];
  const waiting: ((line: string | undefined) => void)[] = [];
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

  return {
    readPrompt(signal) {
      ask("> ");
      return readLine(signal);
    },
    readText({ label, initial = "", hint }, signal) {
      if (hint !== undefined) ask(`${hint}\n`);
      ask(initial === "" ? label : `Now: ${initial}\n${label}`);
      return readLine(signal);
    },
    async choose(choices: readonly Choice[], signal): Promise<Chosen> {
      for (;;) {
        ask(`${choices.map(({ key, label }) => `${key} ${label}`).join(", ")}? `);
        const reply = await readLine(signal);
        if (reply.kind === "none") return reply;
        const key = reply.text.trim().toLowerCase();
        if (choices.some((choice) => choice.key === key)) return { kind: "chosen", key };
      }
    },
    holdTypeAhead() {
      const held = lines.splice(0);
      return () => void lines.unshift(...held);
    },
    close: () => input.close(),
  };
}
