export interface LineFramer {
  /** Returns what is left of the chunk if `isBlocked` stopped it; the next call must begin with that. */
  push(chunk: Buffer): Buffer | undefined;
}

export interface LineFramerOptions {
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  /** Called for each empty line. */
  readonly onEmpty?: () => void;
  /** Called with the size of a line so far as it grows over several chunks. */
  readonly onGrow?: (bytes: number) => void;
  /** Called for a line over the limit, of which only the first and last bytes are kept. */
  readonly onOversize: (head: string, tail: string) => void;
  /** Asked before each line. Never, if absent. */
  readonly isBlocked?: () => boolean;
}

const LF = 10;
const CR = 13;
const KEPT_BYTES = 256;
const NOTHING = Buffer.alloc(0);

/** The current line so far. Pieces are copied into one buffer: an array of one-byte pieces would cost gigabytes. */
type State =
  | { readonly kind: "empty" }
  | { readonly kind: "collecting"; buffer: Buffer; size: number }
  | { readonly kind: "discarding"; readonly head: Buffer; tail: Buffer };

/**
 * Splits a byte stream into lines, in linear time however long a line is and however it is split into chunks. A line
 * over the limit is skipped to its end; the next line is read normally.
 */
export function createLineFramer(options: LineFramerOptions): LineFramer {
  const { maxBytes, onLine, onEmpty, onGrow, onOversize, isBlocked } = options;
  let state: State = { kind: "empty" };

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
        if (isBlocked?.() === true) return chunk.subarray(start);
        if (state.kind === "empty" && end - start <= maxBytes) emit(chunk, start, end);
        else endLine(chunk.subarray(start, end));
        start = end + 1;
      }
      if (start < chunk.length) take(chunk.subarray(start));
      return undefined;
    },
  };

  function take(piece: Buffer): void {
    if (state.kind === "discarding") {
      state.tail = lastBytes(state.tail, piece);
      return;
    }
    const known = state.kind === "empty" ? NOTHING : state.buffer.subarray(0, state.size);
    const size = known.length + piece.length;
    if (size > maxBytes) {
      const head = Buffer.concat([known.subarray(0, KEPT_BYTES), piece.subarray(0, KEPT_BYTES)]);
      state = { kind: "discarding", head: head.subarray(0, KEPT_BYTES), tail: lastBytes(known, piece) };
      return;
    }
    onGrow?.(size);
    if (state.kind === "empty") {
      state = { kind: "collecting", buffer: piece, size };
      return;
    }
    if (size > state.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(maxBytes, 2 * size));
      larger.set(known);
      state.buffer = larger;
    }
    state.buffer.set(piece, state.size);
    state.size = size;
  }

  function endLine(piece: Buffer): void {
    take(piece);
    const finished = state;
    state = { kind: "empty" };
    if (finished.kind === "collecting") emit(finished.buffer, 0, finished.size);
    if (finished.kind === "discarding") onOversize(finished.head.toString(), finished.tail.toString());
  }

  function emit(bytes: Buffer, start: number, end: number): void {
    const last = end > start && bytes[end - 1] === CR ? end - 1 : end;
    if (last > start) onLine(bytes.toString("utf8", start, last));
    else onEmpty?.();
  }
}

/** Returns a copy, so that the pieces themselves can be freed. */
function lastBytes(before: Buffer, piece: Buffer): Buffer {
  if (piece.length >= KEPT_BYTES) return Buffer.from(piece.subarray(-KEPT_BYTES));
  return Buffer.from(Buffer.concat([before.subarray(-KEPT_BYTES), piece]).subarray(-KEPT_BYTES));
}
