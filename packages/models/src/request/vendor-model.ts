import type { LanguageModelV3FunctionTool, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import {
  type Clock,
  endlessTurn,
  MAX_TURN_CHARACTERS,
  type Model,
  type ModelDefinition,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type ModelSummary,
} from "@tacklebox/core";
import { cancelledError, toModelError } from "../failures/to-model-error.ts";
import { adaptSchema } from "../schema/adapt-schema.ts";
import type { ApiStyle } from "../vendors/vendor.ts";
import { apiStyleOf } from "../vendors/vendors.ts";
import { type FilledEndpoint, fillEndpoint, type ResolveSecret } from "./fill-endpoint.ts";
import { startIdleTimer } from "./idle-timer.ts";
import { readTurn } from "./read-turn.ts";
import { toPrompt } from "./to-prompt.ts";
import { originOf } from "./vendor-mark.ts";
import { createWireNames, type WireNames } from "./wire-names.ts";

export interface VendorModelDeps {
  readonly definition: ModelDefinition;
  readonly summary: ModelSummary;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  readonly resolveSecret: ResolveSecret;
}

/** Long, since a local model may work on a long prompt for minutes; finite, since a dead connection is silent too. */
const MAX_IDLE_MS = 5 * 60_000;
const MAX_TOOL_NAME_LENGTH = 64;
const MAX_CALL_ID_LENGTH = 40;

/**
 * One model of one vendor, through its provider in the model SDK. It does not use the SDK's `streamText`, whose loop,
 * retries and downloads are not wanted here, and which costs more per text delta than all the rest of a run.
 */
export function createVendorModel(deps: VendorModelDeps): Model {
  const { definition, summary } = deps;
  return {
    summary,
    async *stream(request, signal) {
      if (signal.aborted) throw cancelledError(summary.name);
      let filled: FilledEndpoint | undefined;
      try {
        filled = await fillEndpoint(definition, deps.resolveSecret, deps.fetch);
        yield* streamTurn(request, filled, deps, signal);
      } catch (error) {
        if (signal.aborted) throw cancelledError(summary.name);
        const context = {
          name: summary.name,
          vendor: definition.vendor,
          modelId: summary.modelId,
          host: filled === undefined ? "" : new URL(filled.endpoint.baseUrl).host,
          source: summary.source,
          now: deps.clock.now(),
          redact: filled?.redact ?? ((text: string) => text),
        };
        throw toModelError(error, context);
      }
    },
  };
}

async function* streamTurn(
  request: ModelRequest,
  { endpoint }: FilledEndpoint,
  { definition, summary, clock }: VendorModelDeps,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const style = apiStyleOf(definition);
  const model = await style.openModel(endpoint);
  const stop = new AbortController();
  const cancel = () => stop.abort(cancelledError(summary.name));
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  const idleTimer = startIdleTimer(clock, MAX_IDLE_MS, () => stop.abort(idleError(summary.name)));
  try {
    const toolNames = createWireNames(
      MAX_TOOL_NAME_LENGTH,
      request.tools.map(({ name }) => name),
    );
    const origin = originOf(definition);
    const callIds = createWireNames(MAX_CALL_ID_LENGTH);
    const maxOutputTokens = request.maxOutputTokens ?? definition.maxOutputTokens;
    const system = request.instructions === "" ? [] : [{ role: "system" as const, content: request.instructions }];
    const prompt = toPrompt(request.messages, { style, origin, vision: summary.vision, toolNames, callIds });
    const answer = model.doStream({
      prompt: [...system, ...prompt],
      ...(request.tools.length > 0 && {
        tools: toTools(request, style, toolNames),
        toolChoice: { type: "auto" },
      }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      providerOptions: style.providerOptions,
      abortSignal: stop.signal,
    });
    const { stream } = await orStopped(answer, stop.signal);
    const parts = withinBounds(untilStopped(stream, stop.signal, idleTimer.restart), summary.name);
    yield* readTurn(parts, { origin, shownName: toolNames.fromWire });
  } finally {
    idleTimer.stop();
    signal.removeEventListener("abort", cancel);
    // Also if the turn is not read to its end: the connection must not outlive its reader.
    stop.abort();
  }
}

function toTools({ tools }: ModelRequest, style: ApiStyle, toolNames: WireNames): LanguageModelV3FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name: toolNames.toWire(name),
    description,
    inputSchema: adaptSchema(inputSchema, style),
    ...style.toolOptions,
  }));
}

/** Reads the stream; throws the signal's reason as soon as it aborts, even while waiting for data. */
async function* untilStopped<T>(source: ReadableStream<T>, stop: AbortSignal, onPart: () => void): AsyncGenerator<T> {
  const reader = source.getReader();
  for (;;) {
    const { done, value } = await orStopped(reader.read(), stop);
    if (done) return;
    onPart();
    yield value;
  }
}

/** The SDK keeps the arguments of a call to itself until they are complete, so they are counted here as well. */
async function* withinBounds(
  parts: AsyncIterable<LanguageModelV3StreamPart>,
  name: string,
): AsyncGenerator<LanguageModelV3StreamPart> {
  let written = 0;
  for await (const part of parts) {
    if ("delta" in part) written += part.delta.length;
    if (part.type === "tool-call" && part.input.length > MAX_TURN_CHARACTERS) throw endlessTurn(name);
    if (written > MAX_TURN_CHARACTERS) throw endlessTurn(name);
    yield part;
  }
}

/**
 * Settles like `work`, or rejects with the signal's reason. Leaves no listener: one signal serves thousands of parts.
 */
function orStopped<T>(work: PromiseLike<T>, stop: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = () => reject(stop.reason);
    const settled = () => stop.removeEventListener("abort", cancel);
    stop.addEventListener("abort", cancel);
    if (stop.aborted) cancel();
    work.then(
      (value) => {
        settled();
        resolve(value);
      },
      (error: unknown) => {
        settled();
        reject(error);
      },
    );
  });
}

function idleError(name: string): ModelError {
  const seconds = MAX_IDLE_MS / 1000;
  return new ModelError(
    "unreachable",
    `Model '${name}' said nothing for ${seconds} s. Check that its server is running, then try again.`,
  );
}
