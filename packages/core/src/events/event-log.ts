import type { Gap, Numbered } from "../domain/events.ts";
import { isoTime } from "../text/iso-time.ts";
import { estimateJsonLength } from "./estimate-json-length.ts";

export interface EventLogOptions {
  /** The prefix of every event id, so that an id of one log is unknown to another. */
  readonly name: string;
  /** How many events are kept for readers that are slow or come later. */
  readonly maxEvents: number;
  /** How large the kept events may be in total, in characters of JSON. */
  readonly maxCharacters: number;
  /** Where a reader continues if its position is no longer kept. */
  readonly afterGap: "oldest" | "newest";
  /** Set if the producer awaits `waitForReaders`: then no event is dropped before every reader has read it. */
  readonly isPaced?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called when the last reader has left. */
  readonly onLastReaderGone?: () => void;
}

interface Entry<E> {
  readonly value: Numbered<E>;
  readonly characters: number;
}

interface Reader {
  next: number;
  /** Wakes everything that waits for this reader's next event. */
  wake: () => void;
}

/**
 * A log of numbered events that keeps the newest ones. A reader is only a position in the log, without a buffer of its
 * own, so a slow reader costs nothing: it gets a gap event if its position is no longer kept.
 */
export class EventLog<E> {
  readonly #options: EventLogOptions;
  readonly #readers = new Set<Reader>();
  #kept: Entry<E>[] = [];
  /** The number of the first kept event, or of the next event if none is kept. */
  #first = 1;
  #characters = 0;
  #end: { readonly error?: unknown } | undefined;
  #waitingProducers: (() => void)[] = [];

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  /** The id of the last event: a reader that starts after it gets only what comes next. */
  get last(): string {
    return this.#idOf(this.#next - 1);
  }

  get #next(): number {
    return this.#first + this.#kept.length;
  }

  push(event: E): void {
    const { now } = this.#options;
    const characters = estimateJsonLength(event);
    this.#kept.push({ value: { id: this.#idOf(this.#next), at: isoTime(now()), event }, characters });
    this.#characters += characters;
    this.#trim();
    for (const { wake } of this.#readers) wake();
  }

  /** Drops all kept events because later ones will not be pushed: a reader that comes back gets a gap. */
  dropAll(): void {
    this.#first = this.#next + 1;
    this.#kept = [];
    this.#characters = 0;
  }

  /** Ends the log. Readers first get the remaining events, then the error, if there is one. */
  close(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    for (const { wake } of this.#readers) wake();
    this.#wakeProducers();
  }

  /**
   * Returns a promise if some reader is more than `lag` events behind, or if the events kept for it are too large. The
   * promise resolves when that is over, when the log is closed, or when `signal` is aborted.
   */
  waitForReaders(lag: number, signal: AbortSignal): Promise<void> | undefined {
    if (signal.aborted || this.#end !== undefined || !this.#isBehind(lag)) return undefined;
    return new Promise((resolve) => {
      const check = () => {
        if (!signal.aborted && this.#end === undefined && this.#isBehind(lag)) {
          this.#waitingProducers.push(check);
          return;
        }
        signal.removeEventListener("abort", check);
        resolve();
      };
      signal.addEventListener("abort", check);
      this.#waitingProducers.push(check);
    });
  }

  /** Starts reading at once: events pushed from now on reach the reader, however late it asks for them. */
  read(after?: string): AsyncIterableIterator<Numbered<E | Gap>> {
    const position = after === undefined ? this.#begin() : this.#positionAfter(after);
    let waiting: (() => void)[] = [];
    const wake = () => {
      const woken = waiting;
      waiting = [];
      for (const check of woken) check();
    };
    const reader: Reader = { next: position ?? this.#next, wake };
    let isOver = false;
    let hasGap = position === undefined;
    this.#readers.add(reader);
    const leave = () => {
      if (isOver) return;
      isOver = true;
      this.#readers.delete(reader);
      wake();
      this.#wakeProducers();
      if (this.#readers.size === 0) this.#options.onLastReaderGone?.();
    };
    const next = async (): Promise<IteratorResult<Numbered<E | Gap>, undefined>> => {
      for (;;) {
        if (isOver) return { done: true, value: undefined };
        if (hasGap || reader.next < this.#first) {
          hasGap = false;
          return { done: false, value: this.#gap(reader) };
        }
        const entry = this.#kept[reader.next - this.#first];
        if (entry !== undefined) {
          reader.next += 1;
          this.#trim();
          this.#wakeProducers();
          return { done: false, value: entry.value };
        }
        if (this.#end !== undefined) {
          leave();
          if ("error" in this.#end) throw this.#end.error;
          return { done: true, value: undefined };
        }
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      }
    };
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next,
      async return() {
        leave();
        return { done: true, value: undefined };
      },
    };
  }

  #gap(reader: Reader): Numbered<Gap> {
    const { afterGap, now } = this.#options;
    reader.next = afterGap === "newest" ? this.#next : this.#first;
    return { id: this.#idOf(reader.next - 1), at: isoTime(now()), event: { type: "gap" } };
  }

  #begin(): number {
    return this.#options.afterGap === "newest" ? this.#next : 1;
  }

  /** The number of the event after the one with this id; undefined if the id is not from this log. */
  #positionAfter(id: string): number | undefined {
    const { name } = this.#options;
    const digits = id.startsWith(`${name}.`) ? id.slice(name.length + 1) : "";
    const position = /^\d{1,15}$/.test(digits) ? Number(digits) + 1 : undefined;
    return position !== undefined && position <= this.#next ? position : undefined;
  }

  #idOf(number: number): string {
    return `${this.#options.name}.${number}`;
  }

  /** Drops the oldest events while there are more than may be kept. */
  #trim(): void {
    const { maxEvents, isPaced = false } = this.#options;
    const end = isPaced ? this.#firstUnread() : this.#next;
    while (this.#first < end && (this.#kept.length > maxEvents || (this.#isTooLarge && this.#kept.length > 1))) {
      const entry = this.#kept.shift();
      this.#first += 1;
      this.#characters -= entry?.characters ?? 0;
    }
  }

  get #isTooLarge(): boolean {
    return this.#characters > this.#options.maxCharacters;
  }

  #firstUnread(): number {
    let first = this.#next;
    for (const { next } of this.#readers) first = Math.min(first, next);
    return first;
  }

  #isBehind(lag: number): boolean {
    const unread = this.#next - this.#firstUnread();
    return unread > lag || (unread > 0 && this.#isTooLarge);
  }

  #wakeProducers(): void {
    if (this.#waitingProducers.length === 0) return;
    const waitingProducers = this.#waitingProducers;
    this.#waitingProducers = [];
    for (const check of waitingProducers) check();
  }
}
