import { isJsonObject, type JsonObject, type StopSignal } from "@tacklebox/core";
import { afterFirstLeg, answerAll, MAX_LEGS, refuse } from "./answer-input.ts";
import type { ServerQuestions } from "./server-questions.ts";
import { ReplyError } from "./wire.ts";

/** The JSON-RPC error by which a legacy server says that it did nothing yet: addresses are to be opened first. */
const ADDRESSES_FIRST = -32042;

/**
 * What to do about a failed request: when the server wants addresses opened first and a person agrees to each, sends it
 * again, and so on. Rejects with the failure itself when it was another one.
 */
export async function sendAfterAddresses(
  failure: unknown,
  send: () => Promise<JsonObject>,
  questions: ServerQuestions,
  signal: StopSignal,
): Promise<JsonObject> {
  let latest = failure;
  for (let legs = 1; legs < MAX_LEGS; legs += 1) {
    const inputRequests = addressesIn(latest);
    if (inputRequests === undefined) throw latest;
    const { responses } = await answerAll({ inputRequests }, questions, signal);
    if (Object.values(responses).some((response) => !isJsonObject(response) || response.action !== "accept"))
      throw refuse("The server wants an address opened first, which was not agreed to; the call was not made again.");
    try {
      return await send();
    } catch (error) {
      latest = afterFirstLeg(error);
    }
  }
  if (addressesIn(latest) === undefined) throw latest;
  throw refuse(`The server wanted addresses opened ${MAX_LEGS} times without finishing the call.`);
}

/** As questions; undefined when the failure is another one. */
function addressesIn(failure: unknown): JsonObject | undefined {
  if (!(failure instanceof ReplyError) || failure.rpcCode !== ADDRESSES_FIRST || !isJsonObject(failure.data))
    return undefined;
  const { elicitations } = failure.data;
  if (!Array.isArray(elicitations) || !elicitations.every((asked) => isJsonObject(asked) && asked.mode === "url"))
    return undefined;
  return Object.fromEntries(
    elicitations.map((params, number) => [String(number), { method: "elicitation/create", params }]),
  );
}
