import { isJsonObject, type JsonObject, type StopSignal } from "@tacklebox/core";
import { afterFirstRound, answerAll, MAX_ROUNDS, protocolError } from "./answer-input.ts";
import type { ServerQuestions } from "./server-questions.ts";
import { ReplyError } from "./wire.ts";

/** The JSON-RPC error of a legacy server that did nothing yet because a person must open URLs first. */
const URL_ELICITATION_REQUIRED = -32042;

/**
 * Handles a failed request. If the server wants URLs opened first and a person agrees to each of them, sends the
 * request again, up to MAX_ROUNDS times in total. Rejects with the failure itself if it was any other one.
 */
export async function resendAfterUrlElicitation(
  failure: unknown,
  send: () => Promise<JsonObject>,
  questions: ServerQuestions,
  signal: StopSignal,
): Promise<JsonObject> {
  let latest = failure;
  for (let rounds = 1; rounds < MAX_ROUNDS; rounds += 1) {
    const inputRequests = urlElicitationsIn(latest);
    if (inputRequests === undefined) throw latest;
    const { responses } = await answerAll({ inputRequests }, questions, signal);
    if (Object.values(responses).some((response) => !isJsonObject(response) || response.action !== "accept"))
      throw protocolError(
        "The server wants an address opened first, which was not agreed to; the call was not made again.",
      );
    try {
      return await send();
    } catch (error) {
      latest = afterFirstRound(error);
    }
  }
  if (urlElicitationsIn(latest) === undefined) throw latest;
  throw protocolError(`The server wanted addresses opened ${MAX_ROUNDS} times without finishing the call.`);
}

/** The requested URLs as elicitation requests; undefined if the failure is any other one. */
function urlElicitationsIn(failure: unknown): JsonObject | undefined {
  if (!(failure instanceof ReplyError) || failure.rpcCode !== URL_ELICITATION_REQUIRED || !isJsonObject(failure.data))
    return undefined;
  const { elicitations } = failure.data;
  if (!Array.isArray(elicitations) || !elicitations.every((asked) => isJsonObject(asked) && asked.mode === "url"))
    return undefined;
  return Object.fromEntries(
    elicitations.map((params, number) => [String(number), { method: "elicitation/create", params }]),
  );
}
