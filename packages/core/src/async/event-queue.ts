/** Merges the events of several tasks into one stream for a single reader, in order of arrival. */
export interface EventQueue<T> {
  push(event: T): void;
  /** Yields the queued events and every later one until `work` settles. If `work` rejects, so does this, after its events. */
  drain(work: Promise<unknown>): AsyncGenerator<T, void>;
}

export function createEventQueue<T>(): EventQueue<T> {
  const waiting: T[] = [];
  let wake: () => void = () => undefined;
  return {
    push(event) {
      waiting.push(event);
      wake();
    },
    async *drain(work) {
      let over = false;
      const finish = () => {
        over = true;
        wake();
      };
      work.then(finish, finish);
      for (;;) {
        for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) yield event;
        if (over) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (over || waiting.length > 0) resolve();
        });
      }
      await work;
    },
  };
}
