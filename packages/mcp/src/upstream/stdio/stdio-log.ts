import type { RedactServerText } from "../protocol/redact-server-text.ts";
import { createLineFramer } from "./line-framer.ts";

const WINDOW_MS = 1000;
const LINES_PER_WINDOW = 200;
/** Far more than is shown of a line, so that a secret cut here is never shown in part. */
const MAX_LINE_BYTES = 64 * 1024;
const LF = Buffer.from("\n");

/** Passes on a server's log lines. Drops a flood of them cheaply, and reports how much was dropped. */
export interface StdioLog {
  /** Takes a chunk of the server's stderr. */
  push(chunk: Buffer): void;
  line(text: string): void;
  /** Must be called at the end of the output; passes on an unfinished last line. */
  end(): void;
}

export interface StdioLogOptions {
  readonly redact: RedactServerText;
  readonly onServerLog: (line: string) => void;
}

export function createStdioLog({ redact, onServerLog }: StdioLogOptions): StdioLog {
  let budget = LINES_PER_WINDOW;
  let leftOutBytes = 0;
  let window: NodeJS.Timeout | undefined;
  let skipsToLineEnd = false;
  const framer = createLineFramer({
    maxBytes: MAX_LINE_BYTES,
    onLine: line,
    onOversize: () => line(`A line over ${MAX_LINE_BYTES} bytes was left out.`),
  });

  function line(text: string): void {
    if (text.trim() === "") return;
    if (budget === 0) {
      leftOutBytes += text.length;
      return;
    }
    window ??= setTimeout(openWindow, WINDOW_MS).unref();
    budget -= 1;
    onServerLog(redact(text.slice(0, MAX_LINE_BYTES).trimEnd()));
  }

  function openWindow(): void {
    clearTimeout(window);
    window = undefined;
    budget = LINES_PER_WINDOW;
    if (leftOutBytes === 0) return;
    const kilobytes = Math.ceil(leftOutBytes / 1024);
    leftOutBytes = 0;
    onServerLog(`The server writes too much: ${kilobytes} KB were left out.`);
  }

  return {
    line,
    push(chunk) {
      if (budget === 0) {
        // Dropped output is not even split into lines.
        if (!skipsToLineEnd) framer.push(LF);
        skipsToLineEnd = true;
        leftOutBytes += chunk.length;
        return;
      }
      const lineEnd = skipsToLineEnd ? chunk.indexOf(LF) : -1;
      if (skipsToLineEnd && lineEnd === -1) {
        leftOutBytes += chunk.length;
        return;
      }
      skipsToLineEnd = false;
      framer.push(chunk.subarray(lineEnd + 1));
    },
    end() {
      if (!skipsToLineEnd) framer.push(LF);
      openWindow();
    },
  };
}
