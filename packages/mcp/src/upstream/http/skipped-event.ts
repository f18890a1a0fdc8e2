const KEPT_CHARACTERS = 256;

/** An event over the limit, of which only both ends are kept: they may say which request it answers. */
export class SkippedEvent {
  #head = "";
  #tail = "";
  #isLineEmpty = true;

  take(piece: string): void {
    if (piece !== "") this.#isLineEmpty = false;
    this.#keep(piece);
  }

  /** Ends the current line. Returns true if that ends the event. */
  endLine(): boolean {
    const isOver = this.#isLineEmpty;
    this.#isLineEmpty = true;
    this.#keep("\n");
    return isOver;
  }

  get head(): string {
    return withoutNames(this.#head);
  }

  get tail(): string {
    return withoutNames(this.#tail);
  }

  #keep(text: string): void {
    if (this.#head.length < KEPT_CHARACTERS) this.#head += text.slice(0, KEPT_CHARACTERS - this.#head.length);
    this.#tail = (this.#tail + text.slice(-KEPT_CHARACTERS)).slice(-KEPT_CHARACTERS);
  }
}

function withoutNames(lines: string): string {
  return lines.replaceAll(/^data: ?/gm, "");
}
