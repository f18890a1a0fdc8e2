import { constants, open } from "node:fs";
import { Socket } from "node:net";
import { promisify } from "node:util";

/** Enough for a program that asks a person for a password before it writes. */
const FIRST_BYTE_WITHIN_MS = 30_000;

/**
 * Reads a pipe to its end, or until it has given more than `most` bytes. Undefined when nothing is written to it in
 * time. The wait is not a blocked read, which would keep the process from ending.
 */
export async function readPipe(
  file: string,
  most: number,
  withinMs = FIRST_BYTE_WITHIN_MS,
): Promise<Uint8Array | undefined> {
  // A plain descriptor, because the socket closes it.
  const fd = await promisify(open)(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const pipe = new Socket({ fd, readable: true, writable: false });
  const chunks: Buffer[] = [];
  let length = 0;
  let isSilent = false;
  const timer = setTimeout(() => {
    isSilent = true;
    pipe.destroy();
  }, withinMs);
  try {
    for await (const chunk of pipe) {
      clearTimeout(timer);
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      length += bytes.length;
      if (length > most) break;
    }
  } catch (error) {
    if (!isSilent) throw error;
  } finally {
    clearTimeout(timer);
    pipe.destroy();
  }
  return isSilent ? undefined : Buffer.concat(chunks);
}
