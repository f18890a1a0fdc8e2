import { toResultText } from "../call/result-text.ts";
import type { CallOutcome, ContentBlock } from "../domain/call.ts";
import type { CallResultPart, ImagePart } from "../domain/message.ts";

/** About 8,000 tokens, which is enough for most results. */
const MAX_CHARACTERS = 30_000;
/** A quarter of the model's window, at three characters per token, so that one result never fills a small window. */
const CHARACTERS_PER_WINDOW_TOKEN = 0.75;
const MIN_CHARACTERS = 1_000;
const MAX_IMAGES = 4;
/** In characters as they are sent (Base64): an image, and all images of one turn, which go into every later request. */
const MAX_IMAGE_CHARACTERS = 4 * 1024 * 1024;
const MAX_TURN_CHARACTERS = 8 * 1024 * 1024;

/** How models read long results: with which tool, and how much at once. */
export interface ResultReading {
  /** The tool that reads on from where a result was cut. */
  readonly readerName: string;
  readonly mostCharacters: number;
}

export function mostCharactersFor({ contextTokens }: { readonly contextTokens: number }): number {
  const share = Math.max(MIN_CHARACTERS, Math.floor(contextTokens * CHARACTERS_PER_WINDOW_TOKEN));
  return Math.min(MAX_CHARACTERS, share);
}

/**
 * The result of one call as the model gets it. A long text is cut, with a mark that says how to read on: while the run
 * lasts to its end, later as far as the record keeps it.
 */
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

/** Leaves out the images of a turn that are too large, and says so in the results they came with. */
export function withBoundedImages(results: readonly CallResultPart[]): readonly CallResultPart[] {
  let left = MAX_TURN_CHARACTERS;
  return results.map((result) => {
    const { images = [], ...rest } = result;
    const kept = images.filter(({ data }) => {
      const isKept = data.length <= Math.min(MAX_IMAGE_CHARACTERS, left);
      if (isKept) left -= data.length;
      return isKept;
    });
    if (kept.length === images.length) return result;
    const text = `${leftOutText(images.length - kept.length)}\n${rest.text}`;
    return { ...rest, text, ...(kept.length > 0 && { images: kept }) };
  });
}

function leftOutText(count: number): string {
  const what = count === 1 ? "1 image is" : `${count} images are`;
  return `[${what} left out: an image may have 3 MiB, and all images of one turn 6 MiB]`;
}

/** A piece of a result, with a mark at the end if more follows. */
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

/** Whether a text is such a piece, cut with a mark. */
export function isExcerpt(text: string): boolean {
  return /\n\[Cut: characters \d+ to \d+ of \d+\. To read on, call [^\n]*\]$/.test(text.slice(-MARK_CHARACTERS));
}

/** An upper bound for the length of a mark. */
export const MARK_CHARACTERS = 400;

/** Where to cut a text at or before `end`, so that no surrogate pair is split. */
export function cutBefore(text: string, end: number): number {
  if (end >= text.length) return text.length;
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function imagesOf(outcome: CallOutcome): readonly ImagePart[] {
  const result = outcome.status === "success" ? outcome.result : outcome.failure.result;
  return (result?.content ?? []).flatMap(toImage).slice(0, MAX_IMAGES);
}

function toImage(block: ContentBlock): readonly ImagePart[] {
  const { type, data, mimeType } = block;
  if (type !== "image" || typeof data !== "string" || typeof mimeType !== "string") return [];
  return [{ type: "image", data, mimeType }];
}
