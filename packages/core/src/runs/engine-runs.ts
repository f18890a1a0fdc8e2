import { toAbortSignal } from "../async/stop.ts";
import { describeError, unfailingEmit } from "../call/unfailing.ts";
import type { ApprovalMode } from "../domain/approval.ts";
import type { EngineEvent, Numbered } from "../domain/events.ts";
import { EngineError } from "../domain/failure.ts";
import type { RunEvent, RunRequest, RunSummary } from "../domain/run.ts";
import type { EngineRuns } from "../engine.ts";
import { EventLog } from "../events/event-log.ts";
import { timeOf } from "../platform/time-of.ts";
import type { Clock } from "../ports/clock.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import { StoreError } from "../ports/store-error.ts";
import { createRunPreparer, type PrepareDeps } from "./prepare-run.ts";
import type { RunSettings } from "./run-context.ts";
import { createSessionRuns, type SessionRun } from "./session-runs.ts";
import { createRunTeller, type RunTeller } from "./tell-run.ts";

export interface EngineRunsDeps extends PrepareDeps {
  readonly clock: Clock;
  readonly redact: Redactor;
  readonly emit: (event: EngineEvent) => void;
}

interface Run extends SessionRun {
  readonly startedAt: string;
  readonly log: EventLog<RunEvent>;
  /** The approval mode a person chose since the run began. */
  mode: ApprovalMode | undefined;
  /** Ends the wait for the door to show new definitions. */
  confirmShown: () => void;
  stop: () => void;
  /** Settles when the run is over, and is undefined from then on. */
  over: Promise<void> | undefined;
}

const MAX_KEPT_EVENTS = 10_000;
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** Ended runs stay readable for a while, for readers that lost their connection just before the end. */
const MAX_ENDED = 20;
/** A run pauses while a reader is this many events behind, so that no reader loses events. */
const MAX_BEHIND = 200;

/** The runs of this engine: at most one at a time per session. Stopping the engine ends them all. */
export function createEngineRuns(deps: EngineRunsDeps): EngineRuns {
  const { clock, redact, newId, accessOf, logger } = deps;
  const emit = unfailingEmit(deps.emit, logger);
  const runInSession = createSessionRuns({
    prepare: createRunPreparer(deps),
    sessionChanged: (sessionId) => emit({ type: "session-changed", sessionId }),
  });
  const runs = new Map<string, Run>();

  /** Never rejects. What a store could not do is thrown to the run's readers; whatever else throws ends the run. */
  async function drive(request: RunRequest, run: Run, options: RunSettings, signal: AbortSignal): Promise<void> {
    const { log } = run;
    let isEnded = false;
    const announce = (event: RunEvent) => {
      if (event.type === "run-ended") isEnded = true;
      log.push(event);
      if (event.type === "run-started" || event.type === "run-ended") emit(event);
    };
    try {
      await tell(runInSession(request, run, options, signal), run, createRunTeller(redact, announce), signal);
      log.close();
    } catch (error) {
      if (isExpected(error)) {
        // The message may quote what the code was given.
        error.message = redactOrHide(error.message, redact);
        log.close(error);
      } else {
        logger.log("error", "A run failed because of a bug in Tacklebox", { run: run.id, ...describeError(error) });
        const end = { reason: "interrupted", message: bugText(run.id) } as const;
        if (!isEnded) announce({ type: "run-ended", runId: run.id, end });
        log.close();
      }
    }
    run.over = undefined;
    forgetOldest();
  }

  /** Tells the run's readers all its events. Rejects with what telling threw once nothing of the run goes on. */
  async function tell(events: AsyncIterable<RunEvent>, run: Run, teller: RunTeller, signal: AbortSignal) {
    let broken: { readonly error: unknown } | undefined;
    for await (const event of events) {
      try {
        if (broken === undefined) teller.push(event);
      } catch (error) {
        // Nobody would see what else its calls do, nor be asked about them.
        broken = { error };
        run.stop();
      }
      if (broken !== undefined) {
        teller.pushBlind(event);
        continue;
      }
      const waiting = run.log.waitForReaders(MAX_BEHIND, signal);
      if (waiting !== undefined) await waiting;
    }
    if (broken !== undefined) throw broken.error;
    teller.end();
  }

  function forgetOldest(): void {
    const ended = [...runs.values()].filter(({ over }) => over === undefined);
    for (const { id } of ended.slice(0, -MAX_ENDED)) runs.delete(id);
  }

  /** Finds a run that is still going on. */
  function find(id: string): Run | undefined {
    const run = runs.get(id);
    return run?.over === undefined ? undefined : run;
  }

  return {
    async start(request, { attended = false, showsDefinitions = false, caller } = {}) {
      const id = newId();
      const run = newRun(id, request.sessionId, clock);
      runs.set(id, run);
      const shown = showsDefinitions ? () => whenConfirmed(run) : undefined;
      const options: RunSettings = { attended, shown, caller, mode: () => run.mode };
      // The run counts as in flight until it is over, so that stopping the engine waits for it and then ends it.
      run.over = accessOf(request.sessionId).tracker.track(undefined, (stopping) => {
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
    async confirmShown(id) {
      const run = find(id);
      run?.confirmShown();
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

/** Whether doors know what to do with the error. */
function isExpected(error: unknown): error is StoreError | EngineError {
  return error instanceof StoreError || error instanceof EngineError;
}

function redactOrHide(text: string, redact: Redactor): string {
  try {
    return redact(text);
  } catch {
    return "[redacted]";
  }
}

/** Without the error's own text, which may hold anything; the log has it. */
function bugText(runId: string): string {
  return `Tacklebox failed because of an internal error, so the run was not completed. Its log says more about run ${runId}; please report it`;
}

function newRun(id: string, sessionId: string | undefined, clock: Clock): Run {
  return {
    id,
    startedAt: new Date(timeOf(clock)).toISOString(),
    log: new EventLog({
      name: id,
      maxEvents: MAX_KEPT_EVENTS,
      maxCharacters: MAX_CHARACTERS,
      afterGap: "oldest",
      isPaced: true,
      now: () => timeOf(clock),
    }),
    mode: undefined,
    confirmShown: () => undefined,
    sessionId,
    stop: () => undefined,
    over: undefined,
  };
}

/** Resolves when the door next confirms that it has shown definitions. */
function whenConfirmed(run: Run): Promise<void> {
  return new Promise((resolve) => {
    run.confirmShown = resolve;
  });
}

function unknownRun(id: string): AsyncIterable<Numbered<RunEvent>> {
  const error = new EngineError("not-found", `There is no run '${id}'. It may have ended a while ago`);
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
}
