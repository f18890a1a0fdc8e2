import type { Chosen, Person, PersonReply } from "../person.ts";

export interface ScriptedPerson {
  readonly person: Pick<Person, "choose" | "readText" | "holdEarlier">;
  /** The keys they could press, and the labels of texts with what stood there. */
  readonly asked: readonly string[];
}

/** Answers in turn: `y` presses a key, `"text` types a text, `^` is Ctrl-C. Then waits until nobody asks any more. */
export function createScriptedPerson(answers: readonly string[]): ScriptedPerson {
  const left = [...answers];
  const asked: string[] = [];
  const silent = (why: "interrupted" | "withdrawn") => ({ kind: "silent", why }) as const;

  async function take<T extends Chosen | PersonReply>(toAnswer: (answer: string) => T, signal: AbortSignal) {
    const answer = left.shift();
    if (answer === "^") return silent("interrupted");
    if (answer !== undefined) return toAnswer(answer);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return silent("withdrawn");
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
        return take((text): PersonReply => ({ kind: "said", text: text.slice(1) }), signal);
      },
      holdEarlier: () => () => undefined,
    },
  };
}
