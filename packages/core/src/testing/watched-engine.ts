import type { Numbered } from "../domain/events.ts";
import type { RunEvent } from "../domain/run.ts";
import type { Engine } from "../engine.ts";
import { MEMBERS } from "../wire/members.ts";

/** Something that left an engine: what a member answered, why it refused, or one value of a stream. */
export interface ObservedEngine {
  /** Such as `calls.make`. */
  readonly member: string;
  readonly value: unknown;
}

export interface WatchedEngine {
  readonly engine: Engine;
  /** Everything that left it so far. What a run said is here in pieces, and once more as people read it. */
  readonly told: readonly ObservedEngine[];
  /** Members that nobody asked for yet. */
  unasked(): readonly string[];
}

type Member = (...args: readonly unknown[]) => unknown;

/** The same engine; whatever it gives out is noted. */
export function watchEngine(engine: Engine): WatchedEngine {
  const told: ObservedEngine[] = [];
  const asked = new Set<string>();
  const all = Object.entries(MEMBERS).flatMap(([noun, members]) =>
    Object.entries(members).map(([name, kind]) => ({ noun, name, kind, member: `${noun}.${name}` })),
  );

  async function request(member: string, answer: unknown): Promise<unknown> {
    try {
      const value = await answer;
      told.push({ member, value });
      return value;
    } catch (error) {
      told.push({ member, value: String(error) });
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
        else if (member === "runs.events") told.push({ member, value: spokenIn(seen as Numbered<RunEvent>[]) });
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
    // Made of every member there is (see MEMBERS), each of which answers what the same one of the engine does.
    engine: Object.fromEntries(nouns) as Engine,
    told,
    unasked: () => all.flatMap(({ member }) => (asked.has(member) ? [] : [member])),
  };
}

/** What a model said and thought, as people read it: pieces that follow each other are one text. */
function spokenIn(events: readonly Numbered<RunEvent>[]): readonly string[] {
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
