import type { CallPart } from "../domain/message.ts";
import { ModelError, type ModelSummary } from "../domain/model.ts";
import type { Model, ModelEvent, ModelRequest, Models } from "../ports/model.ts";

/** A ModelError among the events ends the turn with that error. */
type ScriptedEvent = ModelEvent | ModelError;

/** One turn: the model's events, or a function of the request; `signal` is aborted when no one reads them any more. */
export type ScriptedTurn =
  | readonly ScriptedEvent[]
  | ((
      request: ModelRequest,
      signal: AbortSignal,
    ) => readonly ScriptedEvent[] | Promise<readonly ScriptedEvent[]> | AsyncIterable<ScriptedEvent>);

export interface ScriptedModel extends Model {
  /** All requests, in order. */
  readonly requests: ModelRequest[];
}

/** A model that follows a test's script, turn by turn, and answers "ok" when the script is over. */
export function createScriptedModel(
  turns: readonly ScriptedTurn[],
  summary: Partial<ModelSummary> = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const script = [...turns];
  return {
    requests,
    summary: {
      name: "scripted",
      vendor: "demo",
      modelId: "scripted",
      isDefault: true,
      source: "test",
      vision: false,
      contextTokens: 100_000,
      ...summary,
    },
    async *stream(request, signal) {
      if (signal.aborted) throw cancelled();
      requests.push(structuredClone(request));
      const turn = script.shift() ?? says("ok");
      const stop = new AbortController();
      const stopped = untilAborted(stop.signal);
      const abort = () => stop.abort();
      signal.addEventListener("abort", abort, { once: true });
      const events = toEvents(typeof turn === "function" ? turn(request, stop.signal) : turn);
      try {
        for (;;) {
          const next = await Promise.race([events.next(), stopped]);
          if (signal.aborted) throw cancelled();
          if (next.done === true) return;
          if (next.value instanceof ModelError) throw next.value;
          yield next.value;
        }
      } finally {
        signal.removeEventListener("abort", abort);
        stop.abort();
      }
    },
  };
}

export function scriptedModels(...models: readonly Model[]): Models {
  return {
    list: async () => models.map(({ summary }) => summary),
    async open(name) {
      const model = name === undefined ? models[0] : models.find(({ summary }) => summary.name === name);
      if (model === undefined) return { kind: "unknown", message: `There is no model '${name ?? ""}'` };
      return { kind: "opened", model };
    },
  };
}

export function says(...pieces: readonly string[]): ModelEvent[] {
  return [...pieces.map((text) => ({ type: "text", text }) as const), { type: "ended", reason: "stop" }];
}

export function asksFor(...calls: readonly Omit<CallPart, "type">[]): ModelEvent[] {
  return [
    ...calls.map((call) => ({ type: "call", call: { type: "call", ...call } }) as const),
    { type: "ended", reason: "calls" },
  ];
}

async function* toEvents(
  events: readonly ScriptedEvent[] | Promise<readonly ScriptedEvent[]> | AsyncIterable<ScriptedEvent>,
): AsyncGenerator<ScriptedEvent> {
  yield* await events;
}

function untilAborted(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(cancelled()), { once: true });
  });
  // The signal is also aborted after a normal end.
  aborted.catch(() => undefined);
  return aborted;
}

function cancelled(): ModelError {
  return new ModelError("cancelled", "The model turn was cancelled");
}
