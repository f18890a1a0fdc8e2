import type { Readable } from "node:stream";
import { ConnectionError } from "@tacklebox/core";
import type { MessageGate } from "../protocol/pace/message-gate.ts";
import { createLineFramer, type LineFramerOptions } from "./line-framer.ts";

export interface PacedLinesOptions extends Omit<LineFramerOptions, "isBlocked" | "onGrow"> {
  /** Called with the size of a line so far as it grows. Nothing is read until the promise it returned settles. */
  readonly onGrow: (bytes: number) => Promise<void> | undefined;
}

export interface PacedLines {
  /** Reads nothing more; lines that were not passed on yet are dropped. */
  stop(): void;
}

/**
 * Reads lines as fast as the gate lets them pass, and long ones as there is room for them. Meanwhile the pipe is not
 * read, so that a server that writes too much has to wait; no more than two chunks are kept.
 */
export function readPacedLines(
  source: Readable,
  gate: Pick<MessageGate, "blocked">,
  lines: PacedLinesOptions,
  onFlood: (error: ConnectionError) => void,
): PacedLines {
  let blocked: Promise<void> | undefined;
  /** What was read, but is held up by the gate. */
  let rest: Buffer | undefined;
  let isStopped = false;
  /** How many parties, of which the gate is one, want the pipe not to be read: none lifts the pause of another. */
  let holds = 0;
  const framer = createLineFramer({
    ...lines,
    onGrow(bytes) {
      const room = lines.onGrow(bytes);
      if (room === undefined) return;
      hold();
      void room.then(release, release);
    },
    isBlocked() {
      blocked = gate.blocked();
      return blocked !== undefined;
    },
  });

  function hold(): void {
    holds += 1;
    source.pause();
  }

  function release(): void {
    holds -= 1;
    if (holds === 0 && !isStopped) source.resume();
  }

  async function passOn(): Promise<void> {
    hold();
    while (rest !== undefined && !isStopped) {
      try {
        await blocked;
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error;
        onFlood(error);
        return;
      }
      if (!isStopped) rest = framer.push(rest);
    }
    release();
  }

  source.on("data", (chunk: Buffer) => {
    if (isStopped) return;
    if (rest !== undefined) {
      // Node reads on by itself once the process has exited.
      rest = Buffer.concat([rest, chunk]);
      return;
    }
    rest = framer.push(chunk);
    if (rest !== undefined) void passOn();
  });
  return {
    stop() {
      isStopped = true;
    },
  };
}
