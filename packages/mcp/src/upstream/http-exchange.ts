import { ConnectionError } from "@tacklebox/core";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the request and, later, its body. */
  readonly signal: AbortSignal;
}

export interface HttpReply {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HttpReplyHeaders;
  /** Inflated bytes. Leaving the iteration early ends the request; a broken body throws ConnectionError. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface HttpReplyHeaders {
  get(name: string): string | null;
  entries(): Iterable<[string, string]>;
}

/**
 * One HTTP request and its reply, whatever the status. No clock of its own: the signal is the only limit.
 * Rejects with ConnectionError only: `unreachable` when no byte of the request left, `cancelled` when the signal
 * ended it, `interrupted` for everything else.
 */
export type HttpExchange = (request: HttpRequest) => Promise<HttpReply>;

/** The most one message may weigh, after inflating. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

const MAX_ERROR_BODY_BYTES = 2048;

/** The address as it may be shown: a query may carry a secret. */
export function addressOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

export function oversize(maxBytes: number): ConnectionError {
  const size = `${Math.round(maxBytes / 1024 / 1024)} MiB`;
  return new ConnectionError("oversize", `The server's answer is larger than ${size}; ask the tool for less.`);
}

export async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw oversize(maxBytes);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The start of an error body; never fails, so that the status itself is what gets reported. */
export async function readErrorBody(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for await (const chunk of body) {
      const rest = chunk.subarray(0, MAX_ERROR_BODY_BYTES - size);
      size += rest.byteLength;
      text += decoder.decode(rest, { stream: true });
      if (size >= MAX_ERROR_BODY_BYTES) break;
    }
  } catch {
    return text;
  }
  return text;
}

/** Reads what is left so that the connection can be used again; gives up on bodies that do not end by themselves. */
export async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > MAX_ERROR_BODY_BYTES) return;
    }
  } catch {
    // The reply was already read; how its body ends changes nothing.
  }
}
