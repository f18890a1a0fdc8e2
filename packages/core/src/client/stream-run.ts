import type { Numbered } from "../domain/events.ts";
import type { RunEvent, RunOptions, RunRequest } from "../domain/run.ts";
import type { Engine } from "../engine.ts";

export interface StreamOptions extends RunOptions {
  readonly signal?: AbortSignal;
}

type Step = IteratorResult<RunEvent, undefined>;
const OVER = { done: true, value: undefined } as const;

/**
 * Starts a run when it is first read, and yields its events to the end, for a door that lives as long as its run.
 * Aborting the signal or leaving the loop cancels the run, and nothing of it is still running when the iteration ends.
 */
export function streamRun(
  { runs }: Pick<Engine, "runs">,
  request: RunRequest,
  { signal, ...options }: StreamOptions = {},
): AsyncIterableIterator<RunEvent, undefined> {
  let id: string | undefined;
  let reader: AsyncIterator<Numbered<RunEvent>> | undefined;
  let isOver = false;

  async function cancel(): Promise<void> {
    if (id !== undefined && !isOver) await runs.cancel(id);
  }

  /** Ignores errors: the run's events report its end, and a run that cannot be cancelled is still read to its end. */
  function cancelQuietly(): void {
    cancel().catch(() => undefined);
  }

  async function begin(): Promise<AsyncIterator<Numbered<RunEvent>>> {
    id = await runs.start(request, options);
    signal?.addEventListener("abort", cancelQuietly, { once: true });
    if (signal?.aborted) cancelQuietly();
    reader = runs.events(id)[Symbol.asyncIterator]();
    return reader;
  }

  function stopListening(): void {
    signal?.removeEventListener("abort", cancelQuietly);
  }

  // Not a generator: a model streams thousands of pieces, and a generator would cost three more promises for each.
  function take(step: IteratorResult<Numbered<RunEvent>>): Step {
    if (step.done === true) {
      isOver = true;
      stopListening();
      return OVER;
    }
    const { event } = step.value;
    if (event.type === "run-ended") isOver = true;
    return { done: false, value: event };
  }

  async function fail(error: unknown): Promise<never> {
    stopListening();
    await cancel();
    throw error;
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () =>
      reader === undefined ? begin().then((opened) => opened.next().then(take, fail)) : reader.next().then(take, fail),
    async return() {
      stopListening();
      await reader?.return?.();
      await cancel();
      isOver = true;
      return OVER;
    },
  };
}
