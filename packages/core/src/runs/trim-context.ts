import type { CallResultPart, Message } from "../domain/message.ts";
import type { ModelTool } from "../ports/model.ts";
import { cutBefore } from "./result-for-model.ts";

export interface Trimmed {
  readonly messages: readonly Message[];
  /** How many messages were left out or shortened. */
  readonly trimmed: number;
}

/** Deliberately low, so that token counts are overestimated rather than underestimated. */
const CHARACTERS_PER_TOKEN = 3;
const TOKENS_PER_IMAGE = 1_600;
const LEFT_OUT = "[Left out: the conversation has grown too long for the model]";

/**
 * Makes a conversation fit the budget. Whole turns are dropped first, the oldest first; then the oldest tool results of
 * the last turn are emptied; then the newest results are cut, the longest first, so that no tool can end a run by the
 * size of its result. Calls and their results always stay together, because vendors refuse one without the other.
 */
export function trimContext(messages: readonly Message[], budgetTokens: number): Trimmed {
  const turns = splitTurns(messages);
  let total = sum(turns.map(tokensOf));
  let from = 0;
  while (from < turns.length - 1 && total > budgetTokens) {
    total -= tokensOf(turns[from] ?? []);
    from += 1;
  }
  const kept = turns.slice(from).flat();
  const leftOut = messages.length - kept.length;
  if (total <= budgetTokens) return { messages: kept, trimmed: leftOut };
  const emptied = emptyResults(kept, total - budgetTokens);
  const excess = tokensOf(emptied.messages) - budgetTokens;
  const cut = excess > 0 ? cutNewest(emptied.messages, excess) : { messages: emptied.messages, trimmed: 0 };
  return { messages: cut.messages, trimmed: leftOut + emptied.trimmed + cut.trimmed };
}

export function toolTokens(tools: readonly ModelTool[]): number {
  return Math.ceil(JSON.stringify(tools).length / CHARACTERS_PER_TOKEN);
}

export function textTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

function emptyResults(messages: readonly Message[], excessTokens: number): Trimmed {
  let excess = excessTokens;
  let trimmed = 0;
  const last = messages.length - 1;
  const shortened = messages.map((message, index): Message => {
    if (message.role !== "tool" || index === last || excess <= 0) return message;
    excess -= tokensOf([message]);
    trimmed += 1;
    return {
      ...message,
      results: message.results.map(({ images: _images, ...result }) => ({ ...result, text: LEFT_OUT })),
    };
  });
  return { messages: shortened, trimmed };
}

/** Enough of a result to tell what it was about. */
const MIN_CHARACTERS = 300;

function cutNewest(messages: readonly Message[], excessTokens: number): Trimmed {
  const newest = messages.at(-1);
  if (newest?.role !== "tool") return { messages, trimmed: 0 };
  const room = Math.max(0, tokensOf([newest]) - excessTokens) * CHARACTERS_PER_TOKEN;
  const most = Math.max(MIN_CHARACTERS, fairShare(newest.results.map(sizeOf), room));
  const results = newest.results.map((result) => (sizeOf(result) > most ? cutResult(result, most) : result));
  const isCut = results.some((result, index) => result !== newest.results[index]);
  return { messages: [...messages.slice(0, -1), { ...newest, results }], trimmed: isCut ? 1 : 0 };
}

/** The largest size each result may keep so that all of them fit in `room`. */
function fairShare(sizes: readonly number[], room: number): number {
  let left = room;
  const ascending = [...sizes].sort((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (size > share) return Math.floor(share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** The size of a result in characters, images included. */
function sizeOf({ text, images = [] }: CallResultPart): number {
  return text.length + images.length * TOKENS_PER_IMAGE * CHARACTERS_PER_TOKEN;
}

function cutResult({ images: _images, ...result }: CallResultPart, most: number): CallResultPart {
  const end = cutBefore(result.text, most);
  if (end === result.text.length) return { ...result, text: `${result.text}\n${LEFT_OUT}` };
  const mark = `[Cut: the model has no room for more than the first ${end} of ${result.text.length} characters]`;
  return { ...result, text: `${result.text.slice(0, end)}\n${mark}` };
}

/** Splits a conversation into turns: each begins with a user message and ends before the next one. */
function splitTurns(messages: readonly Message[]): readonly (readonly Message[])[] {
  const turns: Message[][] = [];
  for (const message of messages) {
    if (message.role === "user" || turns.length === 0) turns.push([message]);
    else turns.at(-1)?.push(message);
  }
  return turns;
}

function tokensOf(messages: readonly Message[]): number {
  return sum(messages.map(messageTokens));
}

function messageTokens(message: Message): number {
  if (message.role === "tool")
    return sum(message.results.map(({ text, images = [] }) => textTokens(text) + images.length * TOKENS_PER_IMAGE));
  return sum(
    message.parts.map((part) => {
      if (part.type === "image") return TOKENS_PER_IMAGE;
      if (part.type === "call") return textTokens(part.tool) + textTokens(JSON.stringify(part.arguments));
      return textTokens(part.text);
    }),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
