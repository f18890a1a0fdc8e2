import type { EngineEvent } from "../domain/events.ts";
import type { Engine } from "../engine.ts";

/**
 * Calls the listener for every event from now on, until the returned function is called. `onBroken` is called if the
 * connection to a remote engine breaks. Errors thrown by the listener are bugs and are not caught.
 */
export function listen(
  { events }: Pick<Engine, "events">,
  listener: (event: EngineEvent) => void,
  onBroken: (error: unknown) => void = () => undefined,
): () => void {
  const reader = events.follow()[Symbol.asyncIterator]();
  let isOver = false;

  function broken(error: unknown): undefined {
    if (!isOver) onBroken(error);
    isOver = true;
  }

  async function read(): Promise<void> {
    for (;;) {
      const step = await reader.next().catch(broken);
      if (isOver || step === undefined || step.done === true) return;
      listener(step.value.event);
    }
  }

  void read();
  return () => {
    if (isOver) return;
    isOver = true;
    void reader.return?.();
  };
}
