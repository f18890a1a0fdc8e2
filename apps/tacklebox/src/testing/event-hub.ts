import type { EngineEvent, EngineEvents, Numbered } from "@tacklebox/core";

export interface EventHub extends EngineEvents {
  /** Whoever follows hears it a moment later, as from an engine. */
  tell(event: EngineEvent): void;
  /** How many follow it now. */
  readers(): number;
}

/** The stream of events of an engine in which only that happens what the test tells. */
export function createEventHub(): EventHub {
  const readers = new Set<(told: Numbered<EngineEvent>) => void>();
  let count = 0;
  return {
    tell(event) {
      count += 1;
      for (const hear of readers) hear({ id: String(count), at: "2026-01-01T00:00:00.000Z", event });
    },
    readers: () => readers.size,
    last: async () => String(count),
    follow: () => ({ [Symbol.asyncIterator]: () => createReader(readers) }),
  };
}

function createReader(readers: Set<(told: Numbered<EngineEvent>) => void>): AsyncIterator<Numbered<EngineEvent>> {
  type Step = IteratorResult<Numbered<EngineEvent>, undefined>;
  const heard: Numbered<EngineEvent>[] = [];
  let wake: (() => void) | undefined;
  let isOver = false;
  const hear = (told: Numbered<EngineEvent>) => {
    heard.push(told);
    wake?.();
  };
  readers.add(hear);
  return {
    async next(): Promise<Step> {
      for (;;) {
        const value = heard.shift();
        if (isOver) return { done: true, value: undefined };
        if (value !== undefined) return { done: false, value };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async return(): Promise<Step> {
      readers.delete(hear);
      isOver = true;
      wake?.();
      return { done: true, value: undefined };
    },
  };
}
