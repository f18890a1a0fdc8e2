import { oversize } from "../protocol/message-size.ts";
import type { Seat } from "../protocol/room/message-room.ts";
import type { HttpBody } from "./http-exchange.ts";
import { SkippedEvent } from "./skipped-event.ts";

export interface SseEvent {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
  /** How long the server asks us to wait before reconnecting. */
  readonly retryMs?: number;
}

export interface EventReader {
  /** Asked before each event and each skipped line. Nothing is read until the promise it returned settles; a rejection ends the reading. */
  readonly blocked: () => Promise<void> | undefined;
  readonly onEvent: (event: SseEvent) => void;
  /** Called for each line that is part of no event: a comment, a field that nobody knows, a blank line too many. */
  readonly onSkippedLine: () => void;
  /** Called with both ends of the data of an event over the limit; the next one is read normally. */
  readonly onOversize?: (head: string, tail: string) => void;
  /** Where a large event waits for room. The caller has to leave it when the reading is over. */
  readonly seat: Seat;
}

/**
 * Reads events from a `text/event-stream` body. An event left unfinished when the stream ends is dropped, as the format
 * requires. Without `onOversize`, rejects with ConnectionError `oversize` if an event outgrows `maxBytes`.
 */
export function readEvents(
  body: HttpBody,
  maxBytes: number,
  { blocked, onEvent, onSkippedLine, onOversize, seat }: EventReader,
): Promise<void> {
  const parser = new SseParser(maxBytes, onOversize);
  const text = new Utf8Stream();
  const passOn = (): Promise<void> | undefined => {
    for (;;) {
      const wait = blocked();
      if (wait !== undefined) return wait.then(passOn);
      const event = parser.next();
      if (event === undefined) return seat.grow(parser.length);
      if (event === SKIPPED_LINE) {
        onSkippedLine();
        continue;
      }
      onEvent(event);
      seat.leave();
    }
  };
  return body.read((chunk) => {
    parser.push(text.decode(chunk));
    return passOn();
  });
}

/** Reads events from the chunks it is given. Throws ConnectionError `oversize` if an event outgrows `maxBytes`. */
export function createEventReader(maxBytes: number, onEvent: (event: SseEvent) => void): (chunk: Uint8Array) => void {
  const parser = new SseParser(maxBytes);
  const text = new Utf8Stream();
  return (chunk) => {
    parser.push(text.decode(chunk));
    for (let event = parser.next(); event !== undefined; event = parser.next()) {
      if (event !== SKIPPED_LINE) onEvent(event);
    }
  };
}

/** An event as it is written to a stream. */
export function eventText({ event, data, id, retryMs }: SseEvent): string {
  const head = `${id === undefined ? "" : `id: ${id}\n`}${retryMs === undefined ? "" : `retry: ${retryMs}\n`}`;
  const lines = data === "" ? "" : `data: ${data.replaceAll("\n", "\ndata: ")}\n`;
  return `${head}event: ${event}\n${lines}\n`;
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
  readonly #onOversize: EventReader["onOversize"];
  /** The piece of text being parsed, and how far. */
  #text = "";
  #start = 0;
  #hasCr = false;
  /** Pieces of the unfinished line, joined once at its end, so that a long line takes linear time. */
  #pieces: string[] = [];
  /** The latest pieces, joined into one of `#pieces` now and then: a line may come as millions of single characters. */
  #smallPieces: string[] = [];
  #length = 0;
  #endsWithCr = false;
  #fields: Fields = {};
  /** The unfinished event, if it has outgrown the limit. */
  #skipped: SkippedEvent | undefined;

  constructor(maxLength: number, onOversize?: EventReader["onOversize"]) {
    this.#maxLength = maxLength;
    this.#onOversize = onOversize;
  }

  /** The length of the unfinished event, as far as it is kept. */
  get length(): number {
    return this.#length;
  }

  /** Takes the next piece of the stream. Must not be called before `next` has returned undefined. */
  push(text: string): void {
    this.#text = text;
    this.#hasCr = text.includes("\r");
    // A CR at the end of one chunk and an LF at the start of the next are one line end.
    this.#start = this.#endsWithCr && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.#endsWithCr = false;
  }

  /** The next event or the next line that is part of none; undefined if the text so far has no more. */
  next(): Parsed {
    const text = this.#text;
    for (;;) {
      const start = this.#start;
      const end = lineEnd(text, start, this.#hasCr);
      if (end === -1) break;
      const lastPiece = text.slice(start, end);
      this.#start = end + (text.startsWith("\r\n", end) ? 2 : 1);
      if (this.#start === text.length && text.charCodeAt(end) === CR && this.#start === end + 1)
        this.#endsWithCr = true;
      const event = this.#endLine(lastPiece);
      if (event !== undefined) return event;
    }
    this.#keep(text.slice(this.#start));
    this.#text = "";
    this.#start = 0;
    return undefined;
  }

  #keep(piece: string): void {
    if (piece === "") return;
    this.#grow(piece.length);
    if (this.#skipped === undefined) this.#smallPieces.push(piece);
    else this.#skipped.take(piece);
    if (this.#smallPieces.length < MAX_SMALL_PIECES) return;
    this.#pieces.push(this.#smallPieces.join(""));
    this.#smallPieces = [];
  }

  #grow(by: number): void {
    if (this.#skipped !== undefined) return;
    this.#length += by;
    if (this.#length <= this.#maxLength) return;
    if (this.#onOversize === undefined) throw oversize(this.#maxLength);
    const skipped = new SkippedEvent();
    for (const line of this.#fields.data ?? []) {
      skipped.take(line);
      skipped.endLine();
    }
    skipped.take(this.#takeLine(""));
    this.#fields = {};
    this.#length = 0;
    this.#skipped = skipped;
  }

  #endLine(lastPiece: string): Parsed {
    this.#grow(lastPiece.length);
    const skipped = this.#skipped;
    if (skipped === undefined) return this.#readLine(this.#takeLine(lastPiece));
    skipped.take(lastPiece);
    if (!skipped.endLine()) return undefined;
    this.#skipped = undefined;
    this.#onOversize?.(skipped.head, skipped.tail);
    return undefined;
  }

  #takeLine(lastPiece: string): string {
    if (this.#smallPieces.length === 0 && this.#pieces.length === 0) return lastPiece;
    const line = [...this.#pieces, ...this.#smallPieces, lastPiece].join("");
    this.#pieces = [];
    this.#smallPieces = [];
    return line;
  }

  #readLine(line: string): Parsed {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return SKIPPED_LINE;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1);
    if (name === "data") this.#takeData(value);
    else if (name === "event") this.#fields.event = value;
    else if (name === "id" && !value.includes("\0")) this.#fields.id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.#fields.retryMs = Number(value);
    else return SKIPPED_LINE;
    return undefined;
  }

  #takeData(value: string): void {
    if (this.#fields.data === undefined) this.#fields.data = [value];
    else this.#fields.data.push(value);
  }

  #dispatch(): Parsed {
    const { event, data, id, retryMs } = this.#fields;
    this.#fields = {};
    this.#length = 0;
    if (event === undefined && data === undefined && id === undefined && retryMs === undefined) return SKIPPED_LINE;
    return {
      event: event === undefined || event === "" ? "message" : event,
      data: data === undefined ? "" : data.join("\n"),
      ...(id === undefined ? {} : { id }),
      ...(retryMs === undefined ? {} : { retryMs }),
    };
  }
}

type Parsed = SseEvent | typeof SKIPPED_LINE | undefined;

interface Fields {
  event?: string;
  /** One entry per data line, joined at the end: an event may have millions of lines. */
  data?: string[];
  id?: string;
  retryMs?: number;
}

/** A line that is part of no event. */
const SKIPPED_LINE = "skipped-line";
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
