import { toAbortSignal } from "../async/stop.ts";
import type { ApprovalMode } from "../domain/approval.ts";
import type { EngineEvent, Numbered } from "../domain/events.ts";
import { EngineError } from "../domain/failure.ts";
import type { RunEvent, RunRequest, RunSummary } from "../domain/run.ts";
import type { EngineRuns } from "../engine.ts";
import { EventLog } from "../events/event-log.ts";
import type { Clock } from "../ports/clock.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import { SessionNotKept } from "../sessions/transcript.ts";
import { createEventCleaner } from "./clean-events.ts";
import { createRunPreparer, type PrepareDeps, type RunSetting } from "./prepare-run.ts";
import { runPrompt } from "./run-prompt.ts";

export interface EngineRunsDeps extends PrepareDeps {
  readonly clock: Clock;
  readonly redact: Redactor;
  readonly emit: (event: EngineEvent) => void;
}

interface Run {
  readonly id: string;
  readonly startedAt: string;
  readonly log: EventLog<RunEvent>;
  /** What a person said about it since it began. */
  mode: ApprovalMode | undefined;
  sessionId: string | undefined;
  stop: () => void;
  /** Settles when it is over; undefined then. */
  over: Promise<void> | undefined;
}

const MOST_KEPT_EVENTS = 10_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** Whoever lost the connection to a run that has just ended still gets its end. */
const MOST_ENDED = 20;
/** A run keeps pace with its readers: what they did not read yet is all there. */
const MOST_BEHIND = 200;

/** Runs of this engine: at most one at a time per session, all of them ended with it. */
export function createEngineRuns(deps: EngineRunsDeps): EngineRuns {
  const { clock, redact, emit, newId, accessOf } = deps;
  const prepare = createRunPreparer(deps);
  const runs = new Map<string, Run>();
  const busy = new Set<string>();

  async function* work(
    request: RunRequest,
    run: Run,
    options: RunSetting,
    signal: AbortSignal,
  ): AsyncGenerator<RunEvent, void> {
    const runId = run.id;
    const notStarted = (message: string): RunEvent => ({
      type: "run-ended",
      runId,
      end: { reason: "not-started", message },
    });
    let { sessionId } = request;
    if (sessionId !== undefined && busy.has(sessionId))
      return yield notStarted(`Session '${sessionId}' is busy with another prompt. Wait for its end, or cancel it`);
    if (sessionId !== undefined) busy.add(sessionId);
    try {
      const prepared = await prepare(runId, request, options, signal);
      if (typeof prepared === "string") return yield notStarted(prepared);
      sessionId = prepared.conversation.session.id;
      run.sessionId = sessionId;
      busy.add(sessionId);
      yield* runPrompt(request, prepared, signal);
      emit({ type: "session-changed", sessionId });
    } catch (error) {
      if (!(error instanceof SessionNotKept)) throw error;
      yield { type: "run-ended", runId, end: { reason: "session-not-kept", message: error.message } };
    } finally {
      if (sessionId !== undefined) busy.delete(sessionId);
    }
  }

  /** Never rejects: a bug is told to whoever reads the run. */
  async function drive(request: RunRequest, run: Run, options: RunSetting, signal: AbortSignal): Promise<void> {
    const { log } = run;
    const cleaner = createEventCleaner(redact, (event) => {
      log.push(event);
      if (event.type === "run-started" || event.type === "run-ended") emit(event);
    });
    try {
      for await (const event of work(request, run, options, signal)) {
        cleaner.push(event);
        const room = log.room(MOST_BEHIND, signal);
        if (room !== undefined) await room;
      }
      cleaner.end();
      log.close();
    } catch (error) {
      // It may say what it was given.
      if (error instanceof Error) error.message = redact(error.message);
      log.close(error);
    }
    run.over = undefined;
    forgetOldest();
  }

  function forgetOldest(): void {
    const ended = [...runs.values()].filter(({ over }) => over === undefined);
    for (const { id } of ended.slice(0, -MOST_ENDED)) runs.delete(id);
  }

  /** One that goes on. */
  function find(id: string): Run | undefined {
    const run = runs.get(id);
    return run?.over === undefined ? undefined : run;
  }

  return {
    async start(request, { attended = false, caller } = {}) {
      const id = newId();
      const run: Run = {
        id,
        startedAt: new Date(clock.now()).toISOString(),
        log: new EventLog({
          name: id,
          most: MOST_KEPT_EVENTS,
          mostWeight: MOST_CHARACTERS,
          afterGap: "oldest",
          isPaced: true,
          now: () => clock.now(),
        }),
        mode: undefined,
        sessionId: request.sessionId,
        stop: () => undefined,
        over: undefined,
      };
      runs.set(id, run);
      const options: RunSetting = { attended, caller, mode: () => run.mode };
      // It counts as in flight until it is over, so that stopping the engine waits for it and then ends it.
      run.over = accessOf(request.sessionId).flight.track(undefined, (stopping) => {
        run.stop = () => stopping.abort();
        return drive(request, run, options, toAbortSignal(stopping));
      });
      return id;
    },
    events: (id, after) => runs.get(id)?.log.read(after) ?? unknownRun(redact(id)),
    async cancel(id) {
      const run = find(id);
      run?.stop();
      await run?.over;
      return run !== undefined;
    },
    async setApprovalMode(id, mode) {
      const run = find(id);
      if (run !== undefined) run.mode = mode;
      return run !== undefined;
    },
    list: async () =>
      Array.from(
        runs.values(),
        ({ id, sessionId, startedAt, over }): RunSummary => ({
          id,
          ...(sessionId !== undefined && { sessionId }),
          startedAt,
          status: over === undefined ? "ended" : "running",
        }),
      ),
  };
}

function unknownRun(id: string): AsyncIterable<Numbered<RunEvent>> {
  const error = new EngineError("not-found", `There is no run '${id}'. It may have ended a while ago`);
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
}
