import { oversize } from "../protocol/message-size.ts";
import type { Seat } from "../protocol/room/message-room.ts";
import type { HttpBody } from "./http-exchange.ts";

export interface SseEvent {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
  /** How long the server asks us to wait before reconnecting. */
  readonly retryMs?: number;
}

/**
 * Reads events from a `text/event-stream` body. An event left unfinished when the stream ends is dropped, as the format
 * requires. Rejects with ConnectionError `oversize` if an event outgrows `maxBytes`. A large event waits for room;
 * unless `onEvent` takes that room from the seat, it is given back afterwards.
 */
export async function readEvents(
  body: HttpBody,
  maxBytes: number,
  onEvent: (event: SseEvent) => void,
  seat?: Seat,
): Promise<void> {
  const parser = new SseParser(maxBytes, (event) => {
    onEvent(event);
    seat?.leave();
  });
  const text = new Utf8Stream();
  try {
    await body.read((chunk) => {
      parser.push(text.decode(chunk));
      return seat?.grow(parser.length);
    });
  } finally {
    seat?.leave();
  }
}

/** Decodes complete chunks; keeps no state between them. */
const wholeChunk = new TextDecoder("utf-8", { ignoreBOM: true });

/** Creates a streaming decoder, which is expensive, only for a stream whose chunks split a character; most never do. */
class Utf8Stream {
  #decoder: TextDecoder | undefined;
  #started = false;

  decode(chunk: Uint8Array): string {
    const endsWhole = (chunk.at(-1) ?? 0) < 0x80;
    if (!endsWhole) this.#decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
    const text = this.#decoder?.decode(chunk, { stream: true }) ?? wholeChunk.decode(chunk);
    if (this.#started || text === "") return text;
    this.#started = true;
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }
}

class SseParser {
  readonly #maxLength: number;
  readonly #onEvent: (event: SseEvent) => void;
  /** Pieces of the unfinished line, joined once at its end, so that a long line takes linear time. */
  #pieces: string[] = [];
  /** The latest pieces, joined into one of `#pieces` now and then: a line may come as millions of single characters. */
  #smallPieces: string[] = [];
  #length = 0;
  #endsWithCr = false;
  #fields: Fields = {};

  constructor(maxLength: number, onEvent: (event: SseEvent) => void) {
    this.#maxLength = maxLength;
    this.#onEvent = onEvent;
  }

  /** The length of the unfinished event. */
  get length(): number {
    return this.#length;
  }

  push(text: string): void {
    let start = 0;
    const hasCr = text.includes("\r");
    // A CR at the end of one chunk and an LF at the start of the next are one line end.
    if (this.#endsWithCr && text.startsWith("\n")) start = 1;
    if (text !== "") this.#endsWithCr = false;
    for (;;) {
      const end = lineEnd(text, start, hasCr);
      if (end === -1) break;
      const line = this.#takeLine(text.slice(start, end));
      start = end + (text.startsWith("\r\n", end) ? 2 : 1);
      if (start === text.length && text.charCodeAt(end) === CR && start === end + 1) this.#endsWithCr = true;
      const event = this.#readLine(line);
      if (event !== undefined) this.#onEvent(event);
    }
    this.#keep(text.slice(start));
  }

  #keep(piece: string): void {
    if (piece === "") return;
    this.#grow(piece.length);
    this.#smallPieces.push(piece);
    if (this.#smallPieces.length < MAX_SMALL_PIECES) return;
    this.#pieces.push(this.#smallPieces.join(""));
    this.#smallPieces = [];
  }

  #grow(by: number): void {
    this.#length += by;
    if (this.#length > this.#maxLength) throw oversize(this.#maxLength);
  }

  #takeLine(lastPiece: string): string {
    this.#grow(lastPiece.length);
    if (this.#smallPieces.length === 0 && this.#pieces.length === 0) return lastPiece;
    const line = [...this.#pieces, ...this.#smallPieces, lastPiece].join("");
    this.#pieces = [];
    this.#smallPieces = [];
    return line;
  }

  #readLine(line: string): SseEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return undefined;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1);
    if (name === "data") this.#takeData(value);
    if (name === "event") this.#fields.event = value;
    if (name === "id" && !value.includes("\0")) this.#fields.id = value;
    if (name === "retry" && /^\d+$/.test(value)) this.#fields.retryMs = Number(value);
    return undefined;
  }

  #takeData(value: string): void {
    if (this.#fields.data === undefined) this.#fields.data = [value];
    else this.#fields.data.push(value);
  }

  #dispatch(): SseEvent | undefined {
    const { event, data, id, retryMs } = this.#fields;
    this.#fields = {};
    this.#length = 0;
    if (event === undefined && data === undefined && id === undefined && retryMs === undefined) return undefined;
    return {
      event: event === undefined || event === "" ? "message" : event,
      data: data === undefined ? "" : data.join("\n"),
      ...(id === undefined ? {} : { id }),
      ...(retryMs === undefined ? {} : { retryMs }),
    };
  }
}

interface Fields {
  event?: string;
  /** One entry per data line, joined at the end: an event may have millions of lines. */
  data?: string[];
  id?: string;
  retryMs?: number;
}

const MAX_SMALL_PIECES = 1024;
const BYTE_ORDER_MARK = "\uFEFF";
const CR = 13;
const SPACE = 32;

function lineEnd(text: string, from: number, hasCr: boolean): number {
  const lf = text.indexOf("\n", from);
  if (!hasCr) return lf;
  const cr = text.indexOf("\r", from);
  if (lf === -1) return cr;
  return cr === -1 ? lf : Math.min(lf, cr);
}
