import { createEventQueue } from "../async/event-queue.ts";
import type { CallOutcome, CallRequest } from "../domain/call.ts";
import type { CallEvent, CallSummary } from "../domain/events.ts";
import type { CallPart, CallResultPart } from "../domain/message.ts";
import type { RunEvent } from "../domain/run.ts";
import { MARK_CHARACTERS, type ResultReading, toResultPart } from "./result-for-model.ts";

/** Makes one call on the governed path, under an id that was given out before. All that is told of it is heard. */
export type MakeCall = (id: string, request: CallRequest, hear: (event: CallEvent) => void) => Promise<CallOutcome>;

/** A call of the model, with the id its record will have. */
export type PlannedCall = CallPart & { readonly callId: string };

export interface MakeCallsDeps {
  readonly makeCall: MakeCall;
  readonly reading: ResultReading;
  /** The answer to a call of a tool of ours; undefined for every other. */
  readonly answerOwn: (call: PlannedCall) => Promise<CallOutcome | undefined>;
  /** The tool that is meant, and its arguments. */
  readonly toRequest: (call: PlannedCall) => CallRequest;
  readonly vision: boolean;
  /** ISO 8601. */
  readonly now: () => string;
}

/** Makes all calls of one model turn at once, each within its limits, and returns the results in the model's order. */
export async function* makeCalls(
  calls: readonly PlannedCall[],
  deps: MakeCallsDeps,
): AsyncGenerator<RunEvent, readonly CallResultPart[]> {
  const queue = createEventQueue<RunEvent>();
  const made = calls.map((call) => makeOne(call, deps, queue.push));
  // One that breaks is told when the others are over: a run leaves nothing behind that still works.
  yield* queue.drain(Promise.allSettled(made));
  return Promise.all(made);
}

async function makeOne(
  call: PlannedCall,
  deps: MakeCallsDeps,
  push: (event: RunEvent) => void,
): Promise<CallResultPart> {
  const { callId } = call;
  const startedAt = deps.now();
  const own = await deps.answerOwn(call);
  const outcome = own ?? (await deps.makeCall(callId, deps.toRequest(call), push));
  // No server has it, so no record is kept of it.
  if (own !== undefined)
    for (const told of toSummaries(call, own, startedAt)) push({ type: "call-changed", call: told });
  const { mostCharacters } = deps.reading;
  const result = toResultPart(call, outcome, {
    ...deps.reading,
    vision: deps.vision,
    // What reads on marks its own cut; a second one would take that mark away.
    mostCharacters: own === undefined ? mostCharacters : mostCharacters + MARK_CHARACTERS,
  });
  push({ type: "call-result", callId, outcome, text: result.text });
  return result;
}

/** How a call of a tool of ours would be told if it were a server's. */
function toSummaries(call: PlannedCall, outcome: CallOutcome, startedAt: string): readonly CallSummary[] {
  const { callId: id, tool, arguments: given } = call;
  const pending = { id, scope: "", server: "", toolName: tool, shownName: tool, arguments: given, startedAt };
  const ended = outcome.status === "success" ? {} : { ending: outcome.failure.ending, error: outcome.failure.message };
  return [
    { ...pending, status: "pending" },
    { ...pending, status: outcome.status, ...ended },
  ];
}
