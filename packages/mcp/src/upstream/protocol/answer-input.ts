import { ConnectionError, isJsonObject, type JsonObject, type StopSignal, toAbortSignal } from "@tacklebox/core";
import { untilAborted } from "./abort.ts";
import { withCode } from "./connection-errors.ts";
import { LazyInFlight } from "./in-flight.ts";
import type { ServerQuestions } from "./server-questions.ts";
import { cancelled, type RequestInFlight } from "./wire.ts";

/** How often one request may be sent, the first time included (T24 in SECURITY-MODEL.md). */
export const MAX_ROUNDS = 5;
/** How many further rounds may be answered from configuration alone (roots), without a person. */
const MAX_UNATTENDED_ROUNDS = 1;

/** Sends the request once; `answers` holds the input the server asked for in the previous round, if any. */
export type SendRound = (answers: JsonObject) => RequestInFlight;

/**
 * Sends a request and, when the server asks for input instead of answering, sends it again with the answers (modern
 * revisions only). Looks like one request from outside.
 */
export function sendAnsweringInput(send: SendRound, questions: ServerQuestions, signal: StopSignal): RequestInFlight {
  let round = send({});

  async function run(): Promise<JsonObject> {
    let result = await round.answer;
    let unattended = 0;
    for (let rounds = 1; result.resultType === "input_required"; rounds += 1) {
      if (rounds === MAX_ROUNDS)
        throw protocolError(`The server asked for input ${MAX_ROUNDS} times without finishing the call.`);
      const { responses, answeredBy } = await answerAll(result, questions, signal);
      if (answeredBy === "policy") unattended += 1;
      if (unattended > MAX_UNATTENDED_ROUNDS) {
        throw protocolError("The server keeps asking for the same during the call; it was not asked again.");
      }
      if (signal.aborted) throw cancelled();
      round = send({
        inputResponses: responses,
        ...(typeof result.requestState === "string" && { requestState: result.requestState }),
      });
      result = await round.answer.catch((error: unknown) => {
        throw afterFirstRound(error);
      });
    }
    return result;
  }

  const answer = run();
  // No further round is sent once the answer is settled, so the current one is the last.
  const lastRound = () => round.finished;
  return new LazyInFlight(answer, () => answer.then(lastRound, lastRound));
}

/** Turns `unreachable` into `interrupted`: it promises that nothing was sent, but the server saw the earlier rounds. */
export function afterFirstRound(error: unknown): unknown {
  if (!(error instanceof ConnectionError) || error.code !== "unreachable") return error;
  return withCode(error, "interrupted");
}

interface Answers {
  readonly responses: JsonObject;
  readonly answeredBy: "person" | "policy";
}

/**
 * Asks one question at a time, because one person answers them all. Rejects if a question was declined and no person
 * answered any of them: a call that was approved once must not be repeated for nothing.
 */
export async function answerAll(
  { inputRequests }: JsonObject,
  questions: ServerQuestions,
  signal: StopSignal,
): Promise<Answers> {
  const asked = isJsonObject(inputRequests) ? Object.entries(inputRequests) : [];
  if (asked.length === 0) {
    throw protocolError(
      "The server wants the call to be made again without asking for anything; it was not made again.",
    );
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
      throw protocolError("The server asks for something during the call that this program does not offer.");
    }
    if (given.kind === "person") answeredBy = "person";
    if (given.kind === "declined") unanswered ??= given.why;
    responses.push([key, given.result]);
  }
  if (answeredBy !== "person" && unanswered !== undefined)
    throw protocolError(`${unanswered}; the call was not made again.`);
  return { responses: Object.fromEntries(responses), answeredBy };
}

export function protocolError(text: string): ConnectionError {
  return new ConnectionError("protocol-error", text);
}
