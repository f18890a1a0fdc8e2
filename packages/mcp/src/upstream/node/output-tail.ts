const MAX_BYTES = 64 * 1024;
const MAX_LINE_CHARS = 4096;

/** The last 64 KB of what a server wrote for people, always drained: an unread pipe would block the server. */
export class OutputTail {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #lines: string[] = [];
  #size = 0;
  #rest = "";

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#rest = (lines.pop() ?? "").slice(-MAX_LINE_CHARS);
    for (const line of lines) this.#keep(line);
  }

  /** Counts an unfinished last line as finished. */
  end(): void {
    const rest = this.#rest;
    this.#rest = "";
    if (rest !== "") this.#keep(rest);
  }

  lastLines(count: number): string[] {
    return this.#lines.filter((line) => line.trim() !== "").slice(-count);
  }

  #keep(raw: string): void {
    const line = raw.trimEnd().slice(0, MAX_LINE_CHARS);
    this.#lines.push(line);
    this.#size += line.length;
    while (this.#size > MAX_BYTES) this.#size -= this.#lines.shift()?.length ?? 0;
    this.#onLine(line);
  }
}
