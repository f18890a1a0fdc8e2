import type { MessageGate } from "../protocol/pace/message-gate.ts";
import type { TakeChunk } from "./http-exchange.ts";

const LF = 10;
const CR = 13;

/**
 * Passes an event stream on to `take` as fast as the gate lets its events pass, for a reader that parses them itself.
 * Counts each as unasked: what is asked for this way, such as the answer to a handshake, comes alone.
 */
export function paceEvents(take: TakeChunk, gate: MessageGate): TakeChunk {
  let isBlank = true;
  let endsWithCr = false;

  /** Whether an event ends with this byte, which is that of a blank line's end. */
  function endsEvent(byte: number | undefined): boolean {
    const isSecondOfTwo = byte === LF && endsWithCr;
    endsWithCr = byte === CR;
    if (isSecondOfTwo) return false;
    const wasBlank = isBlank;
    isBlank = byte === LF || byte === CR;
    return isBlank && wasBlank;
  }

  function pass(chunk: Uint8Array, from: number): Promise<void> | undefined {
    for (let at = from; at < chunk.length; at += 1) {
      if (!endsEvent(chunk[at])) continue;
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
