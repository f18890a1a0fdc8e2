import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Choice, Chosen, NoReply, Person, PersonReply } from "./person.ts";

/** A person whose terminal hands over whole lines, because it cannot be drawn upon. `ask` writes in front of what they type. */
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
      const silent = (why: NoReply) => resolve({ kind: "silent", why });
      const take = (line: string | undefined) => {
        signal.removeEventListener("abort", withdraw);
        if (line === undefined) silent("left");
        else resolve({ kind: "said", text: line });
      };
      const withdraw = () => {
        const at = waiting.indexOf(take);
        if (at !== -1) waiting.splice(at, 1);
        silent("withdrawn");
      };
      if (signal.aborted) return silent("withdrawn");
      const [earlier] = lines.splice(0, 1);
      if (earlier !== undefined || hasEnded) return take(earlier);
      signal.addEventListener("abort", withdraw, { once: true });
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
        const said = await readLine(signal);
        if (said.kind === "silent") return said;
        const key = said.text.trim().toLowerCase();
        if (choices.some((choice) => choice.key === key)) return { kind: "chosen", key };
      }
    },
    holdEarlier() {
      const held = lines.splice(0);
      return () => void lines.unshift(...held);
    },
    close: () => input.close(),
  };
}
