import type { MessageGate } from "../protocol/pace/message-gate.ts";
import type { TakeChunk } from "./http-exchange.ts";

const LF = 10;
const CR = 13;
const COLON = 58;

/**
 * Passes an event stream on to `take` as fast as the gate lets its events pass, for a reader that parses them itself.
 * Counts each as unasked, and so each comment: what is asked for this way, such as the answer to a handshake, comes alone.
 */
export function paceEvents(take: TakeChunk, gate: MessageGate): TakeChunk {
  let isBlank = true;
  let isComment = false;
  let endsWithCr = false;

  /** Whether an event or a comment ends with this byte, which is that of a blank line's end or of the comment's. */
  function endsCounted(byte: number | undefined): boolean {
    const isSecondOfTwo = byte === LF && endsWithCr;
    endsWithCr = byte === CR;
    if (isSecondOfTwo) return false;
    const wasBlank = isBlank;
    if (wasBlank) isComment = byte === COLON;
    isBlank = byte === LF || byte === CR;
    return isBlank && (wasBlank || isComment);
  }

  function pass(chunk: Uint8Array, from: number): Promise<void> | undefined {
    for (let at = from; at < chunk.length; at += 1) {
      if (!endsCounted(chunk[at])) continue;
      gate.took("unasked");
      const blocked = gate.blocked();
      if (blocked === undefined) continue;
      const taken = take(chunk.subarray(from, at + 1));
      return Promise.all([taken, blocked]).then(() => pass(chunk, at + 1));
    }
    return from < chunk.length ? take(chunk.subarray(from)) : undefined;
  }

  return (chunk) => pass(chunk, 0);
}
