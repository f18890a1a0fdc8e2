import type { Chosen, Person, PersonReply } from "../person.ts";

export interface ScriptedPerson {
  readonly person: Pick<Person, "choose" | "readText">;
  /** What was asked: the keys of each choice, and the label of each text with its initial value. */
  readonly asked: readonly string[];
}

/** Gives the answers in turn: `y` presses a key, `"text` types a text, `^` is Ctrl-C. After the last, never answers. */
export function createScriptedPerson(answers: readonly string[]): ScriptedPerson {
  const left = [...answers];
  const asked: string[] = [];
  const noReply = (why: "interrupted" | "withdrawn") => ({ kind: "none", why }) as const;

  async function take<T extends Chosen | PersonReply>(toAnswer: (answer: string) => T, signal: AbortSignal) {
    const answer = left.shift();
    if (answer === "^") return noReply("interrupted");
    if (answer !== undefined) return toAnswer(answer);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return noReply("withdrawn");
  }

  return {
    asked,
    person: {
      choose(choices, signal) {
        asked.push(choices.map(({ key }) => key).join(""));
        return take((key): Chosen => ({ kind: "chosen", key }), signal);
      },
      readText({ label, initial = "" }, signal) {
        asked.push(label + initial);
        return take((text): PersonReply => ({ kind: "text", text: text.slice(1) }), signal);
      },
    },
  };
}
