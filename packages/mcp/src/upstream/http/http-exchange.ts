import type { StopSignal } from "@tacklebox/core";
import { ConnectionError } from "@tacklebox/core";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the request and, later, its body. */
  readonly signal: StopSignal;
}

export interface HttpReply {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HttpReplyHeaders;
  /** To be read or stopped: what nobody reads keeps its connection. */
  readonly body: HttpBody;
}

export interface HttpReplyHeaders {
  get(name: string): string | null;
  entries(): Iterable<[string, string]>;
}

/** The inflated bytes of a reply. */
export interface HttpBody {
  /**
   * Hands over every chunk, once. While `take` returns a promise that is not settled, no further one comes; when it
   * throws, the request is ended. Rejects with what `take` threw, otherwise with ConnectionError.
   */
  read(take: TakeChunk): Promise<void>;
  /** Ends the request, however much of the body is left. */
  stop(): void;
}

export type TakeChunk = (chunk: Uint8Array) => Promise<void> | undefined;

/**
 * One HTTP request and its reply, whatever the status. No clock of its own: the signal is the only limit.
 * Rejects with ConnectionError only: `unreachable` when no byte of the request left, `cancelled` when the signal
 * ended it, `interrupted` for everything else.
 */
export type HttpExchange = (request: HttpRequest) => Promise<HttpReply>;

/** The most one message may weigh, after inflating. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

const MAX_ERROR_BODY_BYTES = 2048;
/** What matters of such a reply is known already; its body may drip for ever. */
const ERROR_BODY_MS = 1000;

const NOTHING = new Uint8Array();
const wholeText = new TextDecoder();

/** The address as it may be shown: a query may carry a secret. */
export function addressOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

export function isOk({ status }: HttpReply): boolean {
  return status >= 200 && status < 300;
}

export function oversize(maxBytes: number): ConnectionError {
  const size = `${Math.round(maxBytes / 1024 / 1024)} MiB`;
  return new ConnectionError("oversize", `The server's answer is larger than ${size}; ask the tool for less.`);
}

export async function readText(body: HttpBody, maxBytes: number): Promise<string> {
  return wholeText.decode(await readBytes(body, maxBytes));
}

export async function readBytes(body: HttpBody, maxBytes: number): Promise<Uint8Array> {
  let bytes: Uint8Array = NOTHING;
  let size = 0;
  await body.read((chunk) => {
    const known = size;
    size += chunk.byteLength;
    if (size > maxBytes) throw oversize(maxBytes);
    if (known === 0) {
      bytes = chunk;
      return undefined;
    }
    // Copied, not listed: a list of pieces, one byte each, would cost gigabytes.
    if (size > bytes.byteLength) {
      const larger = new Uint8Array(Math.min(maxBytes, 2 * size));
      larger.set(bytes.subarray(0, known));
      bytes = larger;
    }
    bytes.set(chunk, known);
    return undefined;
  });
  return bytes.subarray(0, size);
}

/** The start of an error body; never fails and never takes long, so that the status itself is what gets reported. */
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
    // What came until then is all there is to say.
  } finally {
    clearTimeout(timer);
  }
  return wholeText.decode(joined(chunks));
}

/** Reads what is left so that the connection can be used again; gives up on bodies that do not end by themselves. */
export async function drain(body: HttpBody): Promise<void> {
  await readErrorBody(body);
}

export function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((size, { byteLength }) => size + byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
