import type { Model, ModelEvent, ModelRequest, ModelSummary } from "@tacklebox/core";
import { cancelledError } from "../failures/to-model-error.ts";
import { answerTurn } from "./answer-turn.ts";

export const DEMO_NAME = "demo";

/** Produces the events of one turn, lazily, as they are read. */
export type Respond = (request: ModelRequest) => Iterable<ModelEvent>;

export function demoSummary(isDefault: boolean): ModelSummary {
  return {
    name: DEMO_NAME,
    vendor: "demo",
    modelId: DEMO_NAME,
    isDefault,
    source: "built in",
    vision: false,
    // It has no real limit, so no conversation needs trimming for it.
    contextTokens: 1_000_000,
  };
}

/** A deterministic model that works offline: the same conversation always gets the same answer. */
export function createDemoModel(isDefault: boolean, respondTo: Respond = respond): Model {
  return {
    summary: demoSummary(isDefault),
    async *stream(request, signal) {
      if (signal.aborted) throw cancelledError(DEMO_NAME);
      for (const event of respondTo(request)) {
        yield event;
        if (signal.aborted) throw cancelledError(DEMO_NAME);
      }
    },
  };
}

function* respond(request: ModelRequest): Generator<ModelEvent> {
  const { text, call } = answerTurn(request);
  for (const [piece] of text.matchAll(/\s*\S+\s*/g)) yield { type: "text", text: piece };
  if (call !== undefined) yield { type: "call", call };
  yield { type: "ended", reason: call === undefined ? "stop" : "calls" };
}
