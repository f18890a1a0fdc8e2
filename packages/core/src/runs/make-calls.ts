import type { CallOutcome, CallRequest, Progress } from "../domain/call.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { CallPart, CallResultPart } from "../domain/message.ts";
import type { RunEvent } from "../domain/run.ts";
import type { Toolbox } from "../domain/tool.ts";
import { createEventQueue } from "./event-queue.ts";
import { MARK_CHARACTERS, type ResultReading, toResultPart } from "./result-for-model.ts";

/** Makes one call on the governed path, under an id that was given out before. */
export type MakeCall = (
  id: string,
  request: CallRequest,
  hear: { readonly event: (event: EngineEvent) => void; readonly progress: (progress: Progress) => void },
) => Promise<CallOutcome>;

/** A call of the model, with the id its record will have. */
export type PlannedCall = CallPart & { readonly callId: string };

export interface CallsPorts {
  readonly makeCall: MakeCall;
  readonly toolbox: Toolbox;
  readonly reading: ResultReading;
  /** The answer to a call of a tool of ours; undefined for every other. */
  readonly answerOwn: (call: PlannedCall) => Promise<CallOutcome | undefined>;
  /** The tool that is meant, and its arguments. */
  readonly toRequest: (call: PlannedCall) => CallRequest;
  readonly vision: boolean;
}

/** Makes all calls of one model turn at once, each within its limits, and returns the results in the model's order. */
export async function* makeCalls(
  calls: readonly PlannedCall[],
  ports: CallsPorts,
): AsyncGenerator<RunEvent, readonly CallResultPart[]> {
  const queue = createEventQueue<RunEvent>();
  const made = calls.map((call) => makeOne(call, ports, queue.push));
  // One that breaks is told when the others are over: a run leaves nothing behind that still works.
  yield* queue.drain(Promise.allSettled(made));
  return Promise.all(made);
}

async function makeOne(call: PlannedCall, ports: CallsPorts, push: (event: RunEvent) => void): Promise<CallResultPart> {
  const { callId: id } = call;
  const own = await ports.answerOwn(call);
  const request = own === undefined ? ports.toRequest(call) : call;
  const { tool, arguments: given } = request;
  const server = own === undefined ? ports.toolbox.tools.get(tool)?.ref.server : undefined;
  push({ type: "call-pending", id, tool, ...(server !== undefined && { server }), arguments: given });
  const outcome = own ?? (await ports.makeCall(id, request, hearing(id, push)));
  const { mostCharacters } = ports.reading;
  const result = toResultPart(call, outcome, {
    ...ports.reading,
    vision: ports.vision,
    // What reads on marks its own cut; a second one would take that mark away.
    mostCharacters: own === undefined ? mostCharacters : mostCharacters + MARK_CHARACTERS,
  });
  push({ type: "call-ended", id, outcome, text: result.text });
  return result;
}

function hearing(id: string, push: (event: RunEvent) => void): Parameters<MakeCall>[2] {
  return {
    progress: (progress) => push({ type: "call-progress", id, progress }),
    event(event) {
      if (event.type === "call-changed" && event.call.status === "running") push({ type: "call-running", id });
      if (event.type === "approval-requested") push({ type: "approval-requested", id, request: event.request });
      if (event.type === "approval-answered") push({ type: "approval-answered", id, answer: event.answer });
    },
  };
}
