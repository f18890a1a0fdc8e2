import { constants, open } from "node:fs";
import { Socket } from "node:net";
import { promisify } from "node:util";

export interface Patience {
  /** The longest silence, before the first byte and after each. */
  readonly silenceMs: number;
  readonly wholeMs: number;
}

/** Enough for a program that asks a person for a password before it writes. */
const PATIENCE: Patience = { silenceMs: 30_000, wholeMs: 120_000 };

/**
 * Reads a pipe to its end, or until it has given more than `most` bytes. Undefined when it falls silent for too long, or
 * has not ended in time. The wait is not a blocked read, which would keep the process from ending.
 */
export async function readPipe(
  file: string,
  most: number,
  { silenceMs, wholeMs }: Patience = PATIENCE,
): Promise<Uint8Array | undefined> {
  // A plain descriptor, because the socket closes it.
  const fd = await promisify(open)(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const pipe = new Socket({ fd, readable: true, writable: false });
  const chunks: Buffer[] = [];
  let length = 0;
  let isGivenUp = false;
  const giveUp = () => {
    isGivenUp = true;
    pipe.destroy();
  };
  const silence = setTimeout(giveUp, silenceMs);
  const whole = setTimeout(giveUp, wholeMs);
  try {
    for await (const chunk of pipe) {
      silence.refresh();
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      length += bytes.length;
      if (length > most) break;
    }
  } catch (error) {
    if (!isGivenUp) throw error;
  } finally {
    clearTimeout(silence);
    clearTimeout(whole);
    pipe.destroy();
  }
  return isGivenUp ? undefined : Buffer.concat(chunks);
}
