export interface LineFramer {
  push(chunk: Buffer): void;
}

export interface LineFramerOptions {
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  /** A line outgrew the cap and was thrown away, all but its first and last bytes. */
  readonly onOversize: (head: string, tail: string) => void;
}

const LF = 10;
const KEPT_BYTES = 256;

type State =
  | { kind: "collecting"; chunks: Buffer[]; size: number }
  | { kind: "discarding"; head: Buffer; tail: Buffer };

/**
 * Cuts a byte stream into lines. Chunks are joined once per line, so that a long line costs linear time,
 * and a line over the cap is skipped to its end, after which the stream is in step again.
 */
export function createLineFramer({ maxBytes, onLine, onOversize }: LineFramerOptions): LineFramer {
  let state: State = collecting();

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
        take(chunk.subarray(start, end));
        endLine();
        start = end + 1;
      }
      if (start < chunk.length) take(chunk.subarray(start));
    },
  };

  function take(piece: Buffer): void {
    if (state.kind === "discarding") {
      state.tail = Buffer.from(Buffer.concat([state.tail, piece.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES));
      return;
    }
    state.chunks.push(piece);
    state.size += piece.length;
    if (state.size <= maxBytes) return;
    const whole = Buffer.concat(state.chunks);
    state = {
      kind: "discarding",
      head: Buffer.from(whole.subarray(0, KEPT_BYTES)),
      tail: Buffer.from(whole.subarray(-KEPT_BYTES)),
    };
  }

  function endLine(): void {
    const finished = state;
    state = collecting();
    if (finished.kind === "discarding") {
      onOversize(finished.head.toString(), finished.tail.toString());
      return;
    }
    const [first] = finished.chunks;
    if (first === undefined) return;
    const bytes = finished.chunks.length === 1 ? first : Buffer.concat(finished.chunks);
    const line = bytes.toString();
    onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  }
}

function collecting(): State {
  return { kind: "collecting", chunks: [], size: 0 };
}
