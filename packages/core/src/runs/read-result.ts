import type { CallOutcome } from "../domain/call.ts";
import type { Message } from "../domain/message.ts";
import { BUILT_IN_NAMES } from "../domain/tool.ts";
import type { JsonObject } from "../json/json.ts";
import type { ModelTool } from "../ports/model.ts";
import { excerpt, isExcerpt, mostCharactersFor, type ResultReading } from "./result-for-model.ts";

/**
 * Lets a model read the rest of a result that was cut. Reading is not a call to any server, so there are no limits, no
 * approval and no record.
 */
export interface ResultReader {
  readonly tool: ModelTool;
  readonly reading: ResultReading;
  /** Whether any result of this conversation was cut; only then is the tool worth offering. */
  isNeeded(messages: readonly Message[]): boolean;
  read(callId: string, args: JsonObject, messages: readonly Message[]): Promise<CallOutcome>;
}

export function createResultReader(
  model: { readonly contextTokens: number },
  loadText: (callId: string) => Promise<string | undefined>,
): ResultReader {
  const reading = resultReading(model);
  const { readerName: name } = reading;

  async function find(args: JsonObject, messages: readonly Message[]): Promise<string> {
    const { id, offset = 0 } = args;
    if (typeof id !== "string" || typeof offset !== "number" || !Number.isInteger(offset) || offset < 0)
      throw new UnreadableResult('it needs {"id": text, "offset": a whole number}');
    // Only results of this conversation: an id from another conversation must not give access to it.
    const given = textsByCallId(messages).get(id);
    if (given === undefined) throw new UnreadableResult(`there is no result '${id}' in this conversation`);
    // What was not cut is all that the model may know: the record of a failed call can say more (T25).
    if (!isExcerpt(given)) return excerpt(given, offset, id, reading);
    const whole = await loadText(id).catch((error: unknown) => {
      throw new UnreadableResult(error instanceof Error ? error.message : String(error));
    });
    if (whole === undefined) throw new UnreadableResult(`the result '${id}' is no longer kept`);
    return excerpt(whole, offset, id, reading);
  }

  return {
    reading,
    tool: {
      builtIn: "read",
      name,
      description: `Reads on in a tool result that was cut because it is longer than ${reading.mostCharacters} characters.`,
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "string", description: "The id given in the note where the result was cut" },
          offset: { type: "integer", minimum: 0, description: "The character to start at" },
        },
        required: ["id"],
      },
    },
    isNeeded: (messages) =>
      messages.some((message) => message.role === "tool" && message.results.some(({ text }) => isExcerpt(text))),
    async read(callId, args, messages) {
      const base = { callId, shownName: name, durationMs: 0 };
      try {
        const text = await find(args, messages);
        return { ...base, status: "success", result: { content: [{ type: "text", text }], isError: false } };
      } catch (error) {
        if (!(error instanceof UnreadableResult)) throw error;
        const message = `${name} cannot read that: ${error.message}`;
        return { ...base, status: "error", failure: { ending: "invalid-arguments", message } };
      }
    },
  };
}

/** How results are cut in a run; depends only on its model. */
export function resultReading(model: { readonly contextTokens: number }): ResultReading {
  return { readerName: BUILT_IN_NAMES.read, mostCharacters: mostCharactersFor(model) };
}

class UnreadableResult extends Error {}

function textsByCallId(messages: readonly Message[]): ReadonlyMap<string, string> {
  const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  return new Map(results.flatMap(({ callId, text }) => (callId === undefined ? [] : [[callId, text] as const])));
}
