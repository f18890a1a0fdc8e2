/** Events of several things that happen at once, in the order they came, for one reader. */
export interface EventQueue<T> {
  push(event: T): void;
  /** What is in it so far, and what comes until `work` is over. Rejects as `work` does, after its events. */
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
