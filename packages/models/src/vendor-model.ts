import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import {
  type Clock,
  type Model,
  type ModelDefinition,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type ModelSummary,
} from "@tacklebox/core";
import { adaptSchema } from "./adapt-schema.ts";
import { type ApiStyle, originOf } from "./dialect.ts";
import { type FilledEndpoint, fillEndpoint, type ResolveSecret } from "./fill-endpoint.ts";
import { createLanguageModel, providerOptionsOf } from "./open-provider.ts";
import { readTurn } from "./read-turn.ts";
import { cancelledError, toModelError } from "./to-model-error.ts";
import { toPrompt } from "./to-prompt.ts";
import { watchSilence } from "./watch-silence.ts";
import { createWireNames, type WireNames } from "./wire-names.ts";

export interface VendorModelParts {
  readonly definition: ModelDefinition;
  readonly summary: ModelSummary;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  readonly resolveSecret: ResolveSecret;
}

/** A local model may think about a long prompt for minutes before its first word; a dead connection says nothing either. */
const LONGEST_SILENCE_MS = 5 * 60_000;
const LONGEST_TOOL_NAME = 64;
const LONGEST_CALL_ID = 40;

/**
 * One model of one vendor over its provider in the model SDK. Not over the SDK's own `streamText`: its loop, retries and
 * downloads are not wanted here, and what is left of it costs more per piece of text than all the rest of a run.
 */
export function createVendorModel(parts: VendorModelParts): Model {
  const { definition, summary } = parts;
  return {
    summary,
    async *stream(request, signal) {
      if (signal.aborted) throw cancelledError(summary.name);
      let filled: FilledEndpoint | undefined;
      try {
        filled = await fillEndpoint(definition, parts.resolveSecret, parts.fetch);
        yield* streamTurn(request, filled, parts, signal);
      } catch (error) {
        if (signal.aborted) throw cancelledError(summary.name);
        const place = {
          name: summary.name,
          modelId: summary.modelId,
          host: filled === undefined ? "" : new URL(filled.endpoint.baseUrl).host,
          source: summary.source,
          now: parts.clock.now(),
          redact: filled?.redact ?? ((text: string) => text),
        };
        throw toModelError(error, place);
      }
    },
  };
}

async function* streamTurn(
  request: ModelRequest,
  { endpoint }: FilledEndpoint,
  { definition, summary, clock }: VendorModelParts,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const model = await createLanguageModel(endpoint);
  const stop = new AbortController();
  const cancel = () => stop.abort(cancelledError(summary.name));
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  const silence = watchSilence(clock, LONGEST_SILENCE_MS, () => stop.abort(silentError(summary.name)));
  try {
    const toolNames = createWireNames(
      LONGEST_TOOL_NAME,
      request.tools.map(({ name }) => name),
    );
    const { dialect } = endpoint;
    const origin = originOf(definition);
    const callIds = createWireNames(LONGEST_CALL_ID);
    const maxOutputTokens = request.maxOutputTokens ?? definition.maxOutputTokens;
    const system = request.instructions === "" ? [] : [{ role: "system" as const, content: request.instructions }];
    const prompt = toPrompt(request.messages, { dialect, origin, vision: summary.vision, toolNames, callIds });
    const answer = model.doStream({
      prompt: [...system, ...prompt],
      ...(request.tools.length > 0 && {
        tools: toTools(request, definition.vendor, dialect, toolNames),
        toolChoice: { type: "auto" },
      }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      providerOptions: providerOptionsOf(dialect),
      abortSignal: stop.signal,
    });
    const { stream } = await orStopped(answer, stop.signal);
    const parts = untilStopped(stream, stop.signal, silence.heard);
    yield* readTurn(parts, { origin, shownName: toolNames.fromWire });
  } finally {
    silence.stop();
    signal.removeEventListener("abort", cancel);
    // Also when the turn is not read to its end: the connection must not outlive the interest in it.
    stop.abort();
  }
}

function toTools(
  { tools }: ModelRequest,
  vendor: ModelDefinition["vendor"],
  dialect: ApiStyle,
  toolNames: WireNames,
): LanguageModelV3FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name: toolNames.toWire(name),
    description,
    inputSchema: adaptSchema(inputSchema, vendor),
    // OpenAI's newer API is strict unless told otherwise, and then refuses most schemas people write.
    ...(dialect !== "anthropic" && dialect !== "compatible" && { strict: false }),
  }));
}

/** Ends at once when stopped, whatever the source is waiting for. */
async function* untilStopped<T>(source: ReadableStream<T>, stop: AbortSignal, heard: () => void): AsyncGenerator<T> {
  const reader = source.getReader();
  for (;;) {
    const { done, value } = await orStopped(reader.read(), stop);
    if (done) return;
    heard();
    yield value;
  }
}

/** What the signal was aborted with is thrown. Leaves no listener: one signal sees thousands of pieces of text. */
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

function silentError(name: string): ModelError {
  const seconds = LONGEST_SILENCE_MS / 1000;
  return new ModelError(
    "unreachable",
    `Model '${name}' said nothing for ${seconds} s. Check that its server is well, then try again.`,
  );
}
