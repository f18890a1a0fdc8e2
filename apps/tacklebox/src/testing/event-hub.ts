import type { EngineEvent, EngineEvents, Numbered } from "@tacklebox/core";

export interface EventHub extends EngineEvents {
  /** Delivers an event to every follower, asynchronously, as an engine does. */
  emit(event: EngineEvent): void;
  /** The number of current followers. */
  readers(): number;
}

/** An engine's event stream that carries only the events the test emits. */
export function createEventHub(): EventHub {
  const readers = new Set<(numbered: Numbered<EngineEvent>) => void>();
  let count = 0;
  return {
    emit(event) {
      count += 1;
      for (const push of readers) push({ id: String(count), at: "2026-01-01T00:00:00.000Z", event });
    },
    readers: () => readers.size,
    last: async () => String(count),
    follow: () => ({ [Symbol.asyncIterator]: () => createReader(readers) }),
  };
}

function createReader(readers: Set<(numbered: Numbered<EngineEvent>) => void>): AsyncIterator<Numbered<EngineEvent>> {
  type Step = IteratorResult<Numbered<EngineEvent>, undefined>;
  const queue: Numbered<EngineEvent>[] = [];
  let wake: (() => void) | undefined;
  let isOver = false;
  const push = (numbered: Numbered<EngineEvent>) => {
    queue.push(numbered);
    wake?.();
  };
  readers.add(push);
  return {
    async next(): Promise<Step> {
      for (;;) {
        const value = queue.shift();
        if (isOver) return { done: true, value: undefined };
        if (value !== undefined) return { done: false, value };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async return(): Promise<Step> {
      readers.delete(push);
      isOver = true;
      wake?.();
      return { done: true, value: undefined };
    },
  };
}
