import type { ApprovalMode, EngineRuns, Numbered, RunEvent, RunOptions, RunRequest } from "@tacklebox/core";

/** A run as the test that supplies its events sees it. */
export interface PlayedRun {
  readonly id: string;
  readonly options: RunOptions;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  /** The mode last set while it runs, otherwise its request's. */
  approvalMode(): ApprovalMode | undefined;
}

export type PlayRun = (request: RunRequest, run: PlayedRun) => AsyncIterable<RunEvent> | Iterable<RunEvent>;

interface Playing {
  readonly events: AsyncIterator<RunEvent>;
  readonly cancelling: AbortController;
  mode: ApprovalMode | undefined;
  isRead: boolean;
  isOver: boolean;
}

/** Runs whose events come from the test. A run advances as its events are read. Ids count up: run-1, run-2 … */
export function scriptedRuns(play: PlayRun): EngineRuns {
  const runs = new Map<string, Playing>();
  return {
    async start(request, options = {}) {
      const id = `run-${runs.size + 1}`;
      const cancelling = new AbortController();
      const approvalMode = () => playing.mode;
      const played = play(request, { id, options, signal: cancelling.signal, approvalMode });
      const playing: Playing = {
        events: iterate(played),
        cancelling,
        mode: request.approvalMode,
        isRead: false,
        isOver: false,
      };
      runs.set(id, playing);
      return id;
    },
    events: (id) => read(id, runs.get(id)),
    async cancel(id) {
      const run = runs.get(id);
      if (run === undefined || run.isOver) return false;
      run.cancelling.abort();
      // If its events are being read, the reader takes it to its end.
      if (!run.isRead) await run.events.return?.();
      return true;
    },
    confirmShown: async (id) => runs.get(id)?.isOver === false,
    async setApprovalMode(id, mode) {
      const run = runs.get(id);
      if (run === undefined || run.isOver) return false;
      run.mode = mode;
      return true;
    },
    list: async () => [],
  };
}

/** Not a `yield*`, because a reader that stops early must not end the run. */
async function* read(id: string, run: Playing | undefined): AsyncGenerator<Numbered<RunEvent>> {
  if (run === undefined) throw new TypeError(`no such run: ${id}`);
  for (let number = 1; ; number += 1) {
    run.isRead = true;
    const step = await run.events.next();
    run.isRead = false;
    if (step.done === true) break;
    if (step.value.type === "run-ended") run.isOver = true;
    yield { id: String(number), at: "2026-01-01T00:00:00.000Z", event: step.value };
  }
  run.isOver = true;
}

async function* iterate(events: AsyncIterable<RunEvent> | Iterable<RunEvent>): AsyncGenerator<RunEvent> {
  yield* events;
}
