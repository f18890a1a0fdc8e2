import { ConnectionError, isJsonObject, type JsonObject, type StopSignal, toAbortSignal } from "@tacklebox/core";
import { untilAborted } from "./abort.ts";
import { withCode } from "./connection-errors.ts";
import { RequestsInFlight } from "./in-flight.ts";
import type { ServerQuestions } from "./server-questions.ts";
import { cancelled, type RequestInFlight } from "./wire.ts";

/** How often one request may be sent, the first time included (T24). */
export const MAX_LEGS = 5;
/** How many of the further legs may go out with nothing but what was given to us beforehand (roots). */
const MAX_UNATTENDED_LEGS = 1;

/** Sends the request, or sends it again with what the server asked for. */
export type SendLeg = (answers: JsonObject) => RequestInFlight;

/**
 * Sends a request and, when the server asks for input instead of answering, sends it again with the answers (modern
 * revisions only). Looks like one request from outside.
 */
export function sendAnsweringInput(send: SendLeg, questions: ServerQuestions, signal: StopSignal): RequestInFlight {
  let leg = send({});

  async function run(): Promise<JsonObject> {
    let result = await leg.answer;
    let unattended = 0;
    for (let legs = 1; result.resultType === "input_required"; legs += 1) {
      if (legs === MAX_LEGS) throw refuse(`The server asked for input ${MAX_LEGS} times without finishing the call.`);
      const { responses, answeredBy } = await answerAll(result, questions, signal);
      if (answeredBy === "policy") unattended += 1;
      if (unattended > MAX_UNATTENDED_LEGS) {
        throw refuse("The server keeps asking for the same during the call; it was not asked again.");
      }
      if (signal.aborted) throw cancelled();
      leg = send({
        inputResponses: responses,
        ...(typeof result.requestState === "string" && { requestState: result.requestState }),
      });
      result = await leg.answer.catch((error: unknown) => {
        throw afterFirstLeg(error);
      });
    }
    return result;
  }

  const answer = run();
  // No leg is sent once the answer is settled, so the present one is the last.
  const lastLeg = () => leg.finished;
  return new RequestsInFlight(answer, () => answer.then(lastLeg, lastLeg));
}

/** `unreachable` promises that nothing was sent, which is no longer true: the server worked on the legs before. */
export function afterFirstLeg(error: unknown): unknown {
  if (!(error instanceof ConnectionError) || error.code !== "unreachable") return error;
  return withCode(error, "interrupted");
}

interface Answers {
  readonly responses: JsonObject;
  readonly answeredBy: "person" | "policy";
}

/**
 * One question after the other: they end up in front of one person. Rejects where no person and nothing given to us
 * answers any of them: a call that was agreed to once must not be made again for nothing (T24).
 */
export async function answerAll(
  { inputRequests }: JsonObject,
  questions: ServerQuestions,
  signal: StopSignal,
): Promise<Answers> {
  const asked = isJsonObject(inputRequests) ? Object.entries(inputRequests) : [];
  if (asked.length === 0) {
    throw refuse("The server wants the call to be made again without asking for anything; it was not made again.");
  }
  const responses: [string, JsonObject][] = [];
  let answeredBy: Answers["answeredBy"] = "policy";
  let unanswered: string | undefined;
  for (const [key, request] of asked) {
    const method = isJsonObject(request) && typeof request.method === "string" ? request.method : "";
    const params = isJsonObject(request) && isJsonObject(request.params) ? request.params : {};
    const answered = toAbortSignal(signal);
    const given = await untilAborted(questions.answer(method, params, answered), answered).catch((cause: unknown) => {
      if (signal.aborted) throw cancelled();
      throw new ConnectionError("protocol-error", "What the server asked for could not be answered.", { cause });
    });
    if (given.kind === "unknown") {
      throw refuse("The server asks for something during the call that this program does not offer.");
    }
    if (given.kind === "person") answeredBy = "person";
    if (given.kind === "nobody") unanswered ??= given.why;
    responses.push([key, given.result]);
  }
  if (answeredBy !== "person" && unanswered !== undefined) throw refuse(`${unanswered}; the call was not made again.`);
  return { responses: Object.fromEntries(responses), answeredBy };
}

export function refuse(text: string): ConnectionError {
  return new ConnectionError("protocol-error", text);
}
