import type { Model, ModelEvent, ModelRequest, ModelSummary } from "@tacklebox/core";
import { cancelledError } from "../to-model-error.ts";
import { answerTurn } from "./answer-turn.ts";

export const DEMO_NAME = "demo";

/** What is said in one turn, made piece by piece as it is read. */
export type Think = (request: ModelRequest) => Iterable<ModelEvent>;

export function demoSummary(isDefault: boolean): ModelSummary {
  return {
    name: DEMO_NAME,
    vendor: "demo",
    modelId: DEMO_NAME,
    isDefault,
    source: "built in",
    vision: false,
    // It reads no more of a conversation than it needs, so nothing has to be left out for it.
    contextTokens: 1_000_000,
  };
}

/** Answers without a network, a clock or chance: the same conversation always gets the same answer. */
export function createDemoModel(isDefault: boolean, think: Think = thinkAloud): Model {
  return {
    summary: demoSummary(isDefault),
    async *stream(request, signal) {
      if (signal.aborted) throw cancelledError(DEMO_NAME);
      for (const event of think(request)) {
        yield event;
        if (signal.aborted) throw cancelledError(DEMO_NAME);
      }
    },
  };
}

function* thinkAloud(request: ModelRequest): Generator<ModelEvent> {
  const { text, call } = answerTurn(request);
  for (const [piece] of text.matchAll(/\s*\S+\s*/g)) yield { type: "text", text: piece };
  if (call !== undefined) yield { type: "call", call };
  yield { type: "ended", reason: call === undefined ? "stop" : "calls" };
}
