import type { Readable } from "node:stream";
import { ConnectionError } from "@tacklebox/core";
import type { MessageGate } from "../protocol/pace/message-gate.ts";
import { createLineFramer, type LineFramerOptions } from "./line-framer.ts";

export interface PacedLines {
  /** Reads nothing more; lines that were not passed on yet are dropped. */
  stop(): void;
}

/**
 * Reads lines as fast as the gate lets them pass. Meanwhile the pipe is not read, so that a server that writes too much
 * has to wait; no more than two chunks are kept.
 */
export function readPacedLines(
  source: Readable,
  gate: MessageGate,
  lines: Omit<LineFramerOptions, "isBlocked">,
  onFlood: (error: ConnectionError) => void,
): PacedLines {
  let blocked: Promise<void> | undefined;
  let isStopped = false;
  const framer = createLineFramer({
    ...lines,
    isBlocked() {
      blocked = gate.blocked();
      return blocked !== undefined;
    },
  });

  async function finish(rest: Buffer): Promise<void> {
    source.pause();
    let left: Buffer | undefined = rest;
    while (left !== undefined && !isStopped) {
      try {
        await blocked;
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error;
        onFlood(error);
        return;
      }
      left = isStopped ? undefined : framer.push(left);
    }
    if (!isStopped) source.resume();
  }

  source.on("data", (chunk: Buffer) => {
    if (isStopped) return;
    const rest = framer.push(chunk);
    if (rest !== undefined) void finish(rest);
  });
  return {
    stop() {
      isStopped = true;
    },
  };
}
