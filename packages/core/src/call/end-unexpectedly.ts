import type { CallFailure, CallOutcome, CallRequest, ResolvedCall } from "../domain/call.ts";
import type { Caller } from "../domain/caller.ts";
import { systemClock } from "../platform/system-clock.ts";
import { StoreError } from "../ports/store-error.ts";
import { CallEnd, type EndDeps } from "./steps/end-call.ts";
import { type CallRecorder, createRecorder, type RecordDeps } from "./steps/record-call.ts";
import { describeError } from "./unfailing.ts";

/** How far a call got before something threw. */
export interface CallSoFar {
  resolved?: ResolvedCall | undefined;
  recorder?: CallRecorder;
  end?: CallEnd;
  /** Gives back the room that the answer takes up; see OutgoingCall.onRoom. Undefined if it takes up none. */
  leaveRoom?: (() => void) | undefined;
}

/**
 * Ends a call in which something threw that should never throw: a bug, or a failing machine. The call is recorded if
 * the log works, and answered in any case. The ending is the one that the call would have had if the error had ended
 * the whole process.
 */
export async function endUnexpectedly(
  error: unknown,
  id: string,
  request: CallRequest,
  { resolved, recorder, end }: CallSoFar,
  caller: Caller,
  deps: RecordDeps & EndDeps,
): Promise<CallOutcome> {
  deps.logger.log("error", "A call failed because of a bug in Tacklebox", { call: id, ...describeError(error) });
  const own = bugText(id, end?.mayHaveRun ?? false);
  const blind = { ...deps, clock: systemClock, redact: (text: string) => (text === own ? own : "[redacted]") };
  // Without a recorder not even the arguments could be redacted, so none of them are kept.
  const used = recorder ?? createRecorder(id, { ...request, arguments: {} }, resolved, caller, blind);
  const ending = end ?? new CallEnd(id, request, resolved, used, blind);
  return ending.failure(toFailure(error, id, ending.mayHaveRun));
}

function toFailure(error: unknown, id: string, mayHaveRun: boolean): CallFailure {
  if (error instanceof StoreError)
    return {
      ending: "interrupted",
      message: `What the call needs cannot be read from the store (${error.message}); ${describeRun(mayHaveRun)}`,
    };
  return { ending: "interrupted", message: bugText(id, mayHaveRun) };
}

/** Without the error's own text, which may hold anything; the log has it. */
function bugText(id: string, mayHaveRun: boolean): string {
  return `Tacklebox failed during the call because of an internal error; ${describeRun(mayHaveRun)}. Its log says more about call ${id}; please report it`;
}

function describeRun(mayHaveRun: boolean): string {
  return mayHaveRun ? "it may have run" : "it was not sent to its server";
}
