import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import {
  type CallPart,
  findInexactNumbers,
  inexactText,
  isJsonObject,
  MAX_ARGUMENTS_DEPTH,
  type ModelEvent,
  type TurnEnd,
  textNestsDeeper,
} from "@tacklebox/core";
import { mergeMarks, type PartMarks, toMark } from "./vendor-mark.ts";

type Part = LanguageModelV3StreamPart;
type CallOfSdk = Extract<Part, { type: "tool-call" }>;

export interface ReadTurnOptions {
  readonly origin: string;
  /** Maps the tool name a vendor sent to the name that was shown. */
  shownName(wire: string): string;
}

/** The vendor's stream ended without a finish event. */
export class CutStream extends Error {
  override readonly name = "CutStream";

  /** Whether any part of an answer had arrived. */
  readonly hasBegun: boolean;

  constructor(hasBegun: boolean) {
    super("The stream ended before the turn did");
    this.hasBegun = hasBegun;
  }
}

/**
 * Converts one turn into events. A part's marks are complete at its end and are sent with an extra event whose text is
 * empty. Errors that the SDK reports are thrown as they are.
 */
export async function* readTurn(parts: AsyncIterable<Part>, options: ReadTurnOptions): AsyncGenerator<ModelEvent> {
  const marksOf = new Map<string, PartMarks | undefined>();
  let hasBegun = false;
  let hasCalls = false;
  for await (const part of parts) {
    hasBegun ||= !PREAMBLE.has(part.type);
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        marksOf.set(part.id, part.providerMetadata);
        break;
      case "text-delta":
      case "reasoning-delta": {
        if (part.providerMetadata !== undefined) {
          marksOf.set(part.id, mergeMarks(marksOf.get(part.id), part.providerMetadata));
        }
        const type = part.type === "text-delta" ? "text" : "thought";
        if (part.delta !== "") yield { type, text: part.delta };
        break;
      }
      case "text-end":
      case "reasoning-end": {
        const vendor = toMark(mergeMarks(marksOf.get(part.id), part.providerMetadata), options.origin);
        const type = part.type === "text-end" ? "text" : "thought";
        if (vendor !== undefined) yield { type, text: "", vendor };
        marksOf.delete(part.id);
        break;
      }
      case "tool-call":
        if (part.providerExecuted === true) break;
        hasCalls = true;
        yield { type: "call", call: toCall(part, options) };
        break;
      case "error":
        throw isUnfinished(part.error) ? new CutStream(hasBegun) : part.error;
      case "finish":
        yield* toEnd(part, hasBegun, hasCalls);
        return;
      default:
        break;
    }
  }
  throw new CutStream(hasBegun);
}

/** Part types that come with every stream, even with one that holds no answer. */
const PREAMBLE: ReadonlySet<Part["type"]> = new Set(["stream-start", "response-metadata", "error", "finish"]);

/** The SDK's error for a cut stream of a compatible server: invalid response data, without any data. */
function isUnfinished(error: unknown): boolean {
  return (
    error instanceof Error && error.name === "AI_InvalidResponseDataError" && Reflect.get(error, "data") === undefined
  );
}

function toCall(part: CallOfSdk, { origin, shownName }: ReadTurnOptions): CallPart {
  const vendor = toMark(part.providerMetadata, origin);
  const call = {
    type: "call" as const,
    id: part.toolCallId,
    tool: shownName(part.toolName),
    ...(vendor === undefined ? {} : { vendor }),
  };
  if (part.input.trim() === "") return { ...call, arguments: {} };
  const tooDeep = textNestsDeeper(part.input, MAX_ARGUMENTS_DEPTH);
  const input = tooDeep ? undefined : parseJson(part.input);
  if (!isJsonObject(input)) {
    const unreadable = tooDeep ? `they are nested more than ${MAX_ARGUMENTS_DEPTH} levels deep` : part.input;
    return { ...call, arguments: {}, unreadable };
  }
  const [inexact] = findInexactNumbers(part.input);
  return inexact === undefined
    ? { ...call, arguments: input }
    : { ...call, arguments: {}, unreadable: inexactText(inexact) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function* toEnd(
  { finishReason, usage }: Extract<Part, { type: "finish" }>,
  hasBegun: boolean,
  hasCalls: boolean,
): Generator<ModelEvent> {
  const { unified, raw } = finishReason;
  // Without a reason the turn was cut off: every vendor gives one for a finished turn.
  if (unified === "other" && raw === undefined) throw new CutStream(hasBegun);
  const inputTokens = usage.inputTokens.total;
  const outputTokens = usage.outputTokens.total;
  if (inputTokens !== undefined || outputTokens !== undefined) {
    yield { type: "usage", usage: { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 } };
  }
  yield { type: "ended", reason: toTurnEnd(unified, hasCalls) };
}

function toTurnEnd(reason: string, hasCalls: boolean): TurnEnd {
  if (reason === "length") return "length";
  if (reason === "content-filter") return "refused";
  // Look for calls rather than trust the reason: some servers say "stop" with calls, or "tool_calls" without.
  return hasCalls ? "calls" : "stop";
}
