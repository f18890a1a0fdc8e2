import { oversize } from "./http-exchange.ts";

export interface SseEvent {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
  /** How long the server asks to wait before reconnecting. */
  readonly retryMs?: number;
}

/**
 * Reads events from a `text/event-stream` body. An event that was not finished when the stream ended is dropped,
 * as the format demands; one that outgrows `maxBytes` throws ConnectionError `oversize`.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder();
  const parser = new SseParser(maxBytes);
  for await (const chunk of body) yield* parser.push(decoder.decode(chunk, { stream: true }));
}

class SseParser {
  readonly #maxLength: number;
  /** Pieces of the line that has not ended yet: joined once, so that a long line costs linear time. */
  #pieces: string[] = [];
  #length = 0;
  #endsWithCr = false;
  #fields: Fields = {};

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  *push(text: string): Generator<SseEvent> {
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
      if (event !== undefined) yield event;
    }
    this.#keep(text.slice(start));
  }

  #keep(piece: string): void {
    if (piece === "") return;
    this.#pieces.push(piece);
    this.#grow(piece.length);
  }

  #grow(by: number): void {
    this.#length += by;
    if (this.#length > this.#maxLength) throw oversize(this.#maxLength);
  }

  #takeLine(lastPiece: string): string {
    this.#grow(lastPiece.length);
    if (this.#pieces.length === 0) return lastPiece;
    const line = this.#pieces.join("") + lastPiece;
    this.#pieces = [];
    return line;
  }

  #readLine(line: string): SseEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return undefined;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1);
    if (name === "data") this.#fields.data = this.#fields.data === undefined ? value : `${this.#fields.data}\n${value}`;
    if (name === "event") this.#fields.event = value;
    if (name === "id" && !value.includes("\0")) this.#fields.id = value;
    if (name === "retry" && /^\d+$/.test(value)) this.#fields.retryMs = Number(value);
    return undefined;
  }

  #dispatch(): SseEvent | undefined {
    const { event, data, id, retryMs } = this.#fields;
    this.#fields = {};
    this.#length = 0;
    if (event === undefined && data === undefined && id === undefined && retryMs === undefined) return undefined;
    return {
      event: event === undefined || event === "" ? "message" : event,
      data: data ?? "",
      ...(id === undefined ? {} : { id }),
      ...(retryMs === undefined ? {} : { retryMs }),
    };
  }
}

interface Fields {
  event?: string;
  data?: string;
  id?: string;
  retryMs?: number;
}

const CR = 13;
const SPACE = 32;

function lineEnd(text: string, from: number, hasCr: boolean): number {
  const lf = text.indexOf("\n", from);
  if (!hasCr) return lf;
  const cr = text.indexOf("\r", from);
  if (lf === -1) return cr;
  return cr === -1 ? lf : Math.min(lf, cr);
}
