import type { Readable } from "node:stream";

/** The text a stream has produced so far, and its current and future lines. */
export interface ReadLines {
  text(): string;
  /** The first whole line that fits, which may already have arrived. Rejects when the stream ends without one. */
  waitFor(fits: (line: string) => boolean): Promise<string>;
}

interface Waiting {
  readonly fits: (line: string) => boolean;
  readonly found: (line: string) => void;
  readonly failed: (error: Error) => void;
}

/** A limit for a test that has already failed. */
const WITHIN_MS = 60_000;

/** Every waiter checks each line only once, so the cost stays linear in the output even for thousands of lines. */
export function readLines(stream: Readable, describe: string): ReadLines {
  const lines: string[] = [];
  const waiting = new Set<Waiting>();
  let text = "";
  let unfinished = "";
  let ended = false;

  stream.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    const [first = "", ...others] = piece.split("\n");
    unfinished += first;
    for (const next of others) {
      receive(unfinished.endsWith("\r") ? unfinished.slice(0, -1) : unfinished);
      unfinished = next;
    }
  });
  stream.once("close", () => {
    ended = true;
    for (const one of waiting) one.failed(endedWithout());
  });

  function receive(line: string): void {
    lines.push(line);
    for (const one of waiting) if (one.fits(line)) one.found(line);
  }

  function endedWithout(): Error {
    return new Error(`no such line on ${describe}, which has ended`);
  }

  async function waitFor(fits: (line: string) => boolean): Promise<string> {
    const past = lines.find(fits);
    if (past !== undefined) return past;
    if (ended) throw endedWithout();
    let one: Waiting | undefined;
    let limit: NodeJS.Timeout | undefined;
    try {
      return await new Promise<string>((found, failed) => {
        one = { fits, found, failed };
        waiting.add(one);
        const tooLong = () => failed(new Error(`waited ${WITHIN_MS} ms for a line on ${describe}, in vain`));
        limit = setTimeout(tooLong, WITHIN_MS);
      });
    } finally {
      clearTimeout(limit);
      if (one !== undefined) waiting.delete(one);
    }
  }

  return { text: () => text, waitFor };
}
