import type { Numbered } from "../domain/events.ts";
import type { RunEvent } from "../domain/run.ts";
import type { Engine } from "../engine.ts";
import { MEMBERS } from "../wire/members.ts";

/** A value that left an engine: the result or error of a member, or one value of a stream. */
export interface Observation {
  /** The member's name, such as `calls.make`. */
  readonly member: string;
  readonly value: unknown;
}

export interface WatchedEngine {
  readonly engine: Engine;
  /** Everything that left it so far. A run's text is here in pieces, and once more joined, as people read it. */
  readonly observed: readonly Observation[];
  /** Members that have not been called yet. */
  unused(): readonly string[];
}

type Member = (...args: readonly unknown[]) => unknown;

/** Wraps an engine and records everything it returns. */
export function watchEngine(engine: Engine): WatchedEngine {
  const observed: Observation[] = [];
  const asked = new Set<string>();
  const all = Object.entries(MEMBERS).flatMap(([noun, members]) =>
    Object.entries(members).map(([name, kind]) => ({ noun, name, kind, member: `${noun}.${name}` })),
  );

  async function request(member: string, answer: unknown): Promise<unknown> {
    try {
      const value = await answer;
      observed.push({ member, value });
      return value;
    } catch (error) {
      observed.push({ member, value: String(error) });
      throw error;
    }
  }

  function stream(member: string, values: AsyncIterable<unknown>): AsyncIterableIterator<unknown> {
    const reader = values[Symbol.asyncIterator]();
    const seen: unknown[] = [];
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      async next() {
        const step = (await request(member, reader.next())) as IteratorResult<unknown>;
        if (step.done !== true) seen.push(step.value);
        else if (member === "runs.events") observed.push({ member, value: joinTexts(seen as Numbered<RunEvent>[]) });
        return step;
      },
      return: async () => (await reader.return?.()) ?? { done: true, value: undefined },
    };
  }

  function watched(noun: string, name: string, kind: "request" | "stream"): Member {
    const member = `${noun}.${name}`;
    return (...args) => {
      asked.add(member);
      const made = (Reflect.get(Reflect.get(engine, noun), name) as Member)(...args);
      return kind === "request" ? request(member, made) : stream(member, made as AsyncIterable<unknown>);
    };
  }

  const nouns = Object.entries(MEMBERS).map(([noun, members]) => [
    noun,
    Object.fromEntries(Object.entries(members).map(([name, kind]) => [name, watched(noun, name, kind)])),
  ]);
  return {
    // Has every member there is (see MEMBERS), and each returns what the engine's own member does.
    engine: Object.fromEntries(nouns) as Engine,
    observed,
    unused: () => all.flatMap(({ member }) => (asked.has(member) ? [] : [member])),
  };
}

/** A model's texts and thoughts as people read them: consecutive pieces are joined. */
function joinTexts(events: readonly Numbered<RunEvent>[]): readonly string[] {
  const texts: string[] = [];
  let open: "text" | "thought" | undefined;
  for (const { event } of events) {
    if (event.type === "usage") continue;
    if (event.type !== "text" && event.type !== "thought") {
      open = undefined;
      continue;
    }
    const before = event.type === open ? (texts.pop() ?? "") : "";
    texts.push(before + event.text);
    open = event.type;
  }
  return texts;
}
