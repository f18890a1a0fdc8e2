import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { type CallPart, isJsonObject, type ModelEvent, type TurnEnd } from "@tacklebox/core";
import { mergeMarks, type PartMarks, toMark } from "./vendor-mark.ts";

type Part = LanguageModelV3StreamPart;
type CallOfSdk = Extract<Part, { type: "tool-call" }>;

export interface TurnReading {
  readonly origin: string;
  /** The shown name of a tool the vendor named. */
  shownName(wire: string): string;
}

/** The vendor's stream stopped before it said that it was finished. */
export class CutStream extends Error {
  override readonly name = "CutStream";

  /** Whether there was anything of an answer in it. */
  readonly hasBegun: boolean;

  constructor(hasBegun: boolean) {
    super("The stream ended before the turn did");
    this.hasBegun = hasBegun;
  }
}

/**
 * One turn as events. Marks come with the end of a part, and so does the event that carries them: its text is empty.
 * Whatever the SDK tells as an error is thrown as it is.
 */
export async function* readTurn(parts: AsyncIterable<Part>, reading: TurnReading): AsyncGenerator<ModelEvent> {
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
        const vendor = toMark(mergeMarks(marksOf.get(part.id), part.providerMetadata), reading.origin);
        const type = part.type === "text-end" ? "text" : "thought";
        if (vendor !== undefined) yield { type, text: "", vendor };
        marksOf.delete(part.id);
        break;
      }
      case "tool-call":
        if (part.providerExecuted === true) break;
        hasCalls = true;
        yield { type: "call", call: toCall(part, reading) };
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

/** What comes of every answer, also of one that is none. */
const PREAMBLE: ReadonlySet<Part["type"]> = new Set(["stream-start", "response-metadata", "error", "finish"]);

/** How the SDK tells the same of servers that are compatible: as an answer that it has nothing of to show. */
function isUnfinished(error: unknown): boolean {
  return (
    error instanceof Error && error.name === "AI_InvalidResponseDataError" && Reflect.get(error, "data") === undefined
  );
}

function toCall(part: CallOfSdk, { origin, shownName }: TurnReading): CallPart {
  const vendor = toMark(part.providerMetadata, origin);
  const call = {
    type: "call" as const,
    id: part.toolCallId,
    tool: shownName(part.toolName),
    ...(vendor === undefined ? {} : { vendor }),
  };
  if (part.input.trim() === "") return { ...call, arguments: {} };
  const input = parseJson(part.input);
  return isJsonObject(input) ? { ...call, arguments: input } : { ...call, arguments: {}, unreadable: part.input };
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
  // Every vendor gives a reason for a finished turn.
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
  // Whether there are calls is seen, not believed: small servers say "stop" with calls, or "tool_calls" without.
  return hasCalls ? "calls" : "stop";
}
