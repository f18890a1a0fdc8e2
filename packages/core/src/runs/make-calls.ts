import { createEventQueue } from "../async/event-queue.ts";
import { toResultText } from "../call/result-text.ts";
import { describeError } from "../call/unfailing.ts";
import { veiled } from "../call/veil.ts";
import type { CallOutcome, CallRequest } from "../domain/call.ts";
import type { CallEvent, CallSummary } from "../domain/events.ts";
import type { CallPart, CallResultPart } from "../domain/message.ts";
import type { RunEvent } from "../domain/run.ts";
import type { Logger } from "../ports/logger.ts";
import { MARK_CHARACTERS, type ResultReading, toResultPart, withBoundedImages } from "./result-for-model.ts";

/** Makes one call on the governed path under the given id, and reports every event about it to `onEvent`. */
export type MakeCall = (id: string, request: CallRequest, onEvent: (event: CallEvent) => void) => Promise<CallOutcome>;

/** A call the model asked for, with the id its record will have. */
export type PlannedCall = CallPart & { readonly callId: string };

export interface MakeCallsDeps {
  readonly makeCall: MakeCall;
  readonly reading: ResultReading;
  /** Answers a call of a built-in tool; resolves to undefined for every other tool. */
  readonly answerBuiltIn: (call: PlannedCall) => Promise<CallOutcome | undefined>;
  /** Maps the model's call to the tool it means, with its arguments. */
  readonly toRequest: (call: PlannedCall) => CallRequest;
  readonly vision: boolean;
  /** ISO 8601. */
  readonly now: () => string;
  readonly logger: Logger;
}

/** Makes all calls of one model turn at once, each within its limits, and returns the results in the model's order. */
export async function* makeCalls(
  calls: readonly PlannedCall[],
  deps: MakeCallsDeps,
): AsyncGenerator<RunEvent, readonly CallResultPart[]> {
  const queue = createEventQueue<RunEvent>();
  const made = calls.map((call) => makeOne(call, deps, queue.push));
  // A call that throws is reported when the others are over: a run leaves nothing running behind.
  yield* queue.drain(Promise.allSettled(made));
  return withBoundedImages(await Promise.all(made));
}

async function makeOne(
  call: PlannedCall,
  deps: MakeCallsDeps,
  tell: (event: RunEvent) => void,
): Promise<CallResultPart> {
  const startedAt = deps.now();
  const push = beginningFirst(call, startedAt, tell);
  try {
    return await makePlanned(call, startedAt, deps, push);
  } catch (error) {
    // Above the path of a call, which ends every call by itself. The model gets an answer, and the run goes on.
    const { callId, tool } = call;
    deps.logger.log("error", "A call of a run failed because of a bug in Tacklebox", {
      call: callId,
      ...describeError(error),
    });
    const message = `Tacklebox failed during the call because of an internal error; it may have run. Its log says more about call ${callId}; please report it`;
    const outcome: CallOutcome = {
      callId,
      shownName: tool,
      durationMs: 0,
      status: "error",
      failure: { ending: "interrupted", message },
    };
    const result: CallResultPart = { id: call.id, tool, text: toResultText(outcome), isError: true };
    push({ type: "call-result", callId, outcome, text: result.text });
    return result;
  }
}

/** Tells that the call begins before anything else of it: what throws may do so before the call path tells it. */
function beginningFirst(
  call: PlannedCall,
  startedAt: string,
  tell: (event: RunEvent) => void,
): (event: RunEvent) => void {
  let isBegun = false;
  return (event) => {
    if (!isBegun && !isBeginning(event)) tell({ type: "call-changed", call: toPending(call, startedAt) });
    isBegun = true;
    tell(event);
  };
}

function isBeginning(event: RunEvent): boolean {
  return event.type === "call-changed" && event.call.status === "pending";
}

async function makePlanned(
  call: PlannedCall,
  startedAt: string,
  deps: MakeCallsDeps,
  push: (event: RunEvent) => void,
): Promise<CallResultPart> {
  const { callId } = call;
  const own = await deps.answerBuiltIn(call);
  const outcome = own ?? (await deps.makeCall(callId, deps.toRequest(call), push));
  // A built-in tool belongs to no server, so the call path emits no events about it.
  if (own !== undefined)
    for (const summary of toSummaries(call, own, startedAt)) push({ type: "call-changed", call: summary });
  const { mostCharacters } = deps.reading;
  const result = toResultPart(call, veiled(outcome), {
    ...deps.reading,
    vision: deps.vision,
    // The reading tool marks its own cut; a second cut would remove that mark.
    mostCharacters: own === undefined ? mostCharacters : mostCharacters + MARK_CHARACTERS,
  });
  push({ type: "call-result", callId, outcome, text: result.text });
  return result;
}

/** The summaries a call of a built-in tool would have if a server had answered it. */
function toSummaries(call: PlannedCall, outcome: CallOutcome, startedAt: string): readonly CallSummary[] {
  const pending = toPending(call, startedAt);
  const ended = outcome.status === "success" ? {} : { ending: outcome.failure.ending, error: outcome.failure.message };
  return [pending, { ...pending, status: outcome.status, ...ended }];
}

/** The summary of a call that belongs to no server, as far as is known. */
function toPending({ callId: id, tool, arguments: given }: PlannedCall, startedAt: string): CallSummary {
  return {
    id,
    scope: "",
    server: "",
    toolName: tool,
    shownName: tool,
    arguments: given,
    startedAt,
    status: "pending",
  };
}
