import type { StopSignal } from "@tacklebox/core";
import { oversize } from "../protocol/message-size.ts";
import type { Seat } from "../protocol/room/message-room.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborts the request, and later its body. */
  readonly signal: StopSignal;
}

export interface HttpReply {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HttpReplyHeaders;
  /** Must be read or stopped; otherwise it keeps its connection. */
  readonly body: HttpBody;
}

export interface HttpReplyHeaders {
  get(name: string): string | null;
  entries(): Iterable<[string, string]>;
}

/** The bytes of a reply, decompressed. */
export interface HttpBody {
  /**
   * Passes each chunk to `take`, once. Waits for the promise `take` returns before passing the next; if `take` throws,
   * aborts the request. Rejects with what `take` threw, otherwise with ConnectionError.
   */
  read(take: TakeChunk): Promise<void>;
  /** Aborts the request, however much of the body is left. */
  stop(): void;
}

export type TakeChunk = (chunk: Uint8Array) => Promise<void> | undefined;

/**
 * Sends one HTTP request and returns its reply, whatever the status. Has no timeout: the signal is the only limit.
 * Rejects with ConnectionError only: `unreachable` if no byte of the request was sent, `cancelled` if the signal
 * aborted it, `interrupted` for everything else.
 */
export type HttpExchange = (request: HttpRequest) => Promise<HttpReply>;

const MAX_ERROR_BODY_BYTES = 2048;
/** The status is all that matters of an error reply, and its body may trickle in for ever. */
const ERROR_BODY_MS = 1000;

const NOTHING = new Uint8Array();
const wholeText = new TextDecoder();

/** The address without its query and fragment, safe to show: a query may carry a secret. */
export function addressOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

export function isOk({ status }: HttpReply): boolean {
  return status >= 200 && status < 300;
}

export async function readText(body: HttpBody, maxBytes: number, seat?: Seat): Promise<string> {
  return wholeText.decode(await readBytes(body, maxBytes, seat));
}

/** Waits for room if there are many bytes; the caller has to leave the seat. */
export async function readBytes(body: HttpBody, maxBytes: number, seat?: Seat): Promise<Uint8Array> {
  let bytes: Uint8Array = NOTHING;
  let size = 0;
  await body.read((chunk) => {
    const known = size;
    size += chunk.byteLength;
    if (size > maxBytes) throw oversize(maxBytes);
    if (known === 0) {
      bytes = chunk;
      return seat?.grow(size);
    }
    // Copied into one buffer: an array of one-byte chunks would cost gigabytes.
    if (size > bytes.byteLength) {
      const larger = new Uint8Array(Math.min(maxBytes, 2 * size));
      larger.set(bytes.subarray(0, known));
      bytes = larger;
    }
    bytes.set(chunk, known);
    return seat?.grow(size);
  });
  return bytes.subarray(0, size);
}

/** Reads the start of an error body. Never fails and never takes long, so that the status itself gets reported. */
export async function readErrorBody(body: HttpBody, maxBytes = MAX_ERROR_BODY_BYTES): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const timer = setTimeout(() => body.stop(), ERROR_BODY_MS);
  try {
    await body.read((chunk) => {
      const rest = chunk.subarray(0, maxBytes - size);
      size += rest.byteLength;
      chunks.push(rest);
      if (size >= maxBytes) body.stop();
      return undefined;
    });
  } catch {
    // Return whatever arrived before the failure.
  } finally {
    clearTimeout(timer);
  }
  return wholeText.decode(concatBytes(chunks));
}

/** Reads the rest of a body so that its connection can be reused; gives up on bodies that do not end soon. */
export async function drain(body: HttpBody): Promise<void> {
  await readErrorBody(body);
}

export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((size, { byteLength }) => size + byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
