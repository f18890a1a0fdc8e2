import type { RunEvent, RunRequest } from "../domain/run.ts";
import { SessionNotKept } from "../sessions/transcript.ts";
import type { PrepareRun } from "./prepare-run.ts";
import type { RunSettings } from "./run-context.ts";
import { runPrompt } from "./run-prompt.ts";

export interface SessionRun {
  readonly id: string;
  /** Set as soon as the session is known, if the request named none. */
  sessionId: string | undefined;
}

export type RunInSession = (
  request: RunRequest,
  run: SessionRun,
  setting: RunSettings,
  signal: AbortSignal,
) => AsyncGenerator<RunEvent, void>;

export interface SessionRunsDeps {
  readonly prepare: PrepareRun;
  /** Called when a run has ended, which changes its session. */
  readonly sessionChanged: (sessionId: string) => void;
}

/** Runs prompts, at most one at a time per session. */
export function createSessionRuns({ prepare, sessionChanged }: SessionRunsDeps): RunInSession {
  const busy = new Set<string>();
  return async function* runInSession(request, run, setting, signal) {
    const runId = run.id;
    let { sessionId } = request;
    if (sessionId !== undefined && busy.has(sessionId))
      return yield notStarted(
        runId,
        `Session '${sessionId}' is busy with another prompt. Wait for it to end, or cancel it`,
      );
    if (sessionId !== undefined) busy.add(sessionId);
    try {
      const prepared = await prepare(runId, request, setting, signal);
      if (typeof prepared === "string") return yield notStarted(runId, prepared);
      sessionId = prepared.conversation.session.id;
      run.sessionId = sessionId;
      busy.add(sessionId);
      yield* runPrompt(request, prepared, signal);
      sessionChanged(sessionId);
    } catch (error) {
      if (!(error instanceof SessionNotKept)) throw error;
      yield { type: "run-ended", runId, end: { reason: "session-not-kept", message: error.message } };
    } finally {
      if (sessionId !== undefined) busy.delete(sessionId);
    }
  };
}

function notStarted(runId: string, message: string): RunEvent {
  return { type: "run-ended", runId, end: { reason: "not-started", message } };
}
