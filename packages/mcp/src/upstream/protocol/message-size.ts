import { ConnectionError } from "@tacklebox/core";

/** The largest size of one message, after decompression. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

export function oversize(maxBytes: number): ConnectionError {
  const size = `${Math.round(maxBytes / 1024 / 1024)} MiB`;
  return new ConnectionError("oversize", `The server's answer is larger than ${size}; ask the tool for less.`);
}
