import type { Numbered } from "../domain/events.ts";
import type { RunEvent } from "../domain/run.ts";
import type { Engine } from "../engine.ts";
import { METHODS } from "../wire/methods.ts";

/** A value that left an engine: the result or error of a method, or one value of a stream. */
export interface Observation {
  /** The method's name, such as `calls.make`. */
  readonly method: string;
  readonly value: unknown;
}

export interface WatchedEngine {
  readonly engine: Engine;
  /** Everything that left it so far. A run's text is here in pieces, and once more joined, as people read it. */
  readonly observed: readonly Observation[];
  /** Methods that have not been called yet. */
  unused(): readonly string[];
}

type Method = (...args: readonly unknown[]) => unknown;

/** Wraps an engine and records everything it returns. */
export function watchEngine(engine: Engine): WatchedEngine {
  const observed: Observation[] = [];
  const asked = new Set<string>();
  const all = Object.entries(METHODS).flatMap(([noun, methods]) =>
    Object.entries(methods).map(([name, kind]) => ({ noun, name, kind, method: `${noun}.${name}` })),
  );

  async function request(method: string, answer: unknown): Promise<unknown> {
    try {
      const value = await answer;
      observed.push({ method, value });
      return value;
    } catch (error) {
      observed.push({ method, value: String(error) });
      throw error;
    }
  }

  function stream(method: string, values: AsyncIterable<unknown>): AsyncIterableIterator<unknown> {
    const reader = values[Symbol.asyncIterator]();
    const seen: unknown[] = [];
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      async next() {
        const step = (await request(method, reader.next())) as IteratorResult<unknown>;
        if (step.done !== true) seen.push(step.value);
        else if (method === "runs.events") observed.push({ method, value: joinTexts(seen as Numbered<RunEvent>[]) });
        return step;
      },
      return: async () => (await reader.return?.()) ?? { done: true, value: undefined },
    };
  }

  function watched(noun: string, name: string, kind: "request" | "stream"): Method {
    const method = `${noun}.${name}`;
    return (...args) => {
      asked.add(method);
      const made = (Reflect.get(Reflect.get(engine, noun), name) as Method)(...args);
      return kind === "request" ? request(method, made) : stream(method, made as AsyncIterable<unknown>);
    };
  }

  const nouns = Object.entries(METHODS).map(([noun, methods]) => [
    noun,
    Object.fromEntries(Object.entries(methods).map(([name, kind]) => [name, watched(noun, name, kind)])),
  ]);
  return {
    // Has every method there is (see METHODS), and each returns what the engine's own method does.
    engine: Object.fromEntries(nouns) as Engine,
    observed,
    unused: () => all.flatMap(({ method }) => (asked.has(method) ? [] : [method])),
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
