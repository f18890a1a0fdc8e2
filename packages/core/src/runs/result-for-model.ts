import { toResultText } from "../call/result-text.ts";
import type { CallOutcome, ContentBlock } from "../domain/call.ts";
import type { CallResultPart, ImagePart } from "../domain/message.ts";

/** About 8,000 tokens: enough for most answers. */
const MOST_CHARACTERS = 30_000;
/** Of a small window a quarter, so that one result never fills it: a token is three characters at least. */
const CHARACTERS_PER_WINDOW_TOKEN = 0.75;
const FEWEST_CHARACTERS = 1_000;
const MOST_IMAGES = 4;

/** What models read long results with, and how much of one they read at once. */
export interface ResultReading {
  /** The tool that reads on where a result is cut. */
  readonly readerName: string;
  readonly mostCharacters: number;
}

export function mostCharactersFor({ contextTokens }: { readonly contextTokens: number }): number {
  const share = Math.max(FEWEST_CHARACTERS, Math.floor(contextTokens * CHARACTERS_PER_WINDOW_TOKEN));
  return Math.min(MOST_CHARACTERS, share);
}

/** What the model is told of one call. A long text is cut with a mark that says how to read on; the record keeps it whole. */
export function toResultPart(
  { id, tool }: { readonly id: string; readonly tool: string },
  outcome: CallOutcome,
  reading: ResultReading & { readonly vision: boolean },
): CallResultPart {
  const images = reading.vision ? imagesOf(outcome) : [];
  return {
    id,
    tool,
    text: excerpt(toResultText(outcome), 0, outcome.callId, reading),
    isError: outcome.status === "error",
    callId: outcome.callId,
    ...(images.length > 0 && { images }),
  };
}

/** A piece of a result, with a mark where it does not end. */
export function excerpt(
  whole: string,
  offset: number,
  callId: string,
  { readerName, mostCharacters }: ResultReading,
): string {
  const end = cutBefore(whole, offset + mostCharacters);
  const piece = whole.slice(offset, end);
  if (end === whole.length) return piece;
  const next = JSON.stringify({ id: callId, offset: end });
  return `${piece}\n[Cut: characters ${offset} to ${end} of ${whole.length}. To read on, call ${readerName} with ${next}]`;
}

/** Whether a text is such a piece. */
export function isExcerpt(text: string): boolean {
  return /\n\[Cut: characters \d+ to \d+ of \d+\. To read on, call [^\n]*\]$/.test(text.slice(-MARK_CHARACTERS));
}

/** Longer than any such mark. */
export const MARK_CHARACTERS = 400;

/** The end of a piece that shall not be longer: never between the two halves of a character. */
export function cutBefore(text: string, end: number): number {
  if (end >= text.length) return text.length;
  return isFirstHalf(text.charCodeAt(end - 1)) ? end - 1 : end;
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function imagesOf(outcome: CallOutcome): readonly ImagePart[] {
  const result = outcome.status === "success" ? outcome.result : outcome.failure.result;
  return (result?.content ?? []).flatMap(toImage).slice(0, MOST_IMAGES);
}

function toImage(block: ContentBlock): readonly ImagePart[] {
  const { type, data, mimeType } = block;
  if (type !== "image" || typeof data !== "string" || typeof mimeType !== "string") return [];
  return [{ type: "image", data, mimeType }];
}
