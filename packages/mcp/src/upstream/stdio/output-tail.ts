const RING_BYTES = 64 * 1024;
/** How much of a line is shown. */
export const SHOWN_CHARS = 400;
/** Colours and cursor movements, which are meant for a terminal. */
const TERMINAL_CODES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, "g");
/** The frames of a JavaScript stack, which would push the error itself out of sight. */
const STACK_FRAME = /^\s+at\s/;

/** Keeps the last 64 KB a server wrote to stderr, in one ring buffer. */
export class OutputTail {
  #ring: Buffer | undefined;
  #next = 0;
  #wrapped = false;

  push(chunk: Uint8Array): void {
    // Allocated on first use: most servers write nothing, or only when they fail.
    this.#ring ??= Buffer.allocUnsafe(RING_BYTES);
    this.#wrapped ||= this.#next + chunk.length >= RING_BYTES;
    const kept = chunk.subarray(-RING_BYTES);
    const untilEnd = kept.subarray(0, RING_BYTES - this.#next);
    this.#ring.set(untilEnd, this.#next);
    this.#ring.set(kept.subarray(untilEnd.length), 0);
    this.#next = (this.#next + kept.length) % RING_BYTES;
  }

  /** The last lines that are not blank, redacted and cut to a length that can be shown. */
  lastLines(count: number, redact: (text: string) => string): string[] {
    const [beginning, ...lines] = redact(this.#text().replaceAll(TERMINAL_CODES, "")).split(/[\r\n]+/);
    // The first line is incomplete, and the part written over may have been the first half of a secret.
    const whole = this.#wrapped || beginning === undefined ? lines : [beginning, ...lines];
    const written = whole.filter((line) => line.trim() !== "" && !STACK_FRAME.test(line)).slice(-count);
    return written.map((line) => line.trimEnd().slice(0, SHOWN_CHARS));
  }

  #text(): string {
    if (this.#ring === undefined) return "";
    const newer = this.#ring.subarray(0, this.#next);
    return (this.#wrapped ? Buffer.concat([this.#ring.subarray(this.#next), newer]) : newer).toString();
  }
}
