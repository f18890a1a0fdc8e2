import type { Gap, Numbered } from "../domain/events.ts";
import { isoTime } from "../text/iso-time.ts";
import { estimateBytes } from "./weigh.ts";

export interface EventLogOptions {
  /** Begins every id: a place in one log is none in another. */
  readonly name: string;
  /** How many events are kept for readers that come later or are slow. */
  readonly most: number;
  /** How heavy they may be together, in characters. */
  readonly mostWeight: number;
  /** Where a reader goes on whose place is gone. */
  readonly afterGap: "oldest" | "newest";
  /** Whoever pushes waits for `room`, so nothing is let go of that a reader has not read yet. */
  readonly isPaced?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The last reader has left. */
  readonly onUnread?: () => void;
}

interface Entry<E> {
  readonly value: Numbered<E>;
  readonly weight: number;
}

interface Reader {
  next: number;
  /** Lets everything that waits for the next event look again. */
  wake: () => void;
}

/**
 * Numbered events, the newest of which are kept. Readers have a place in it and nothing of their own, so that a slow one
 * costs nothing: it is told of a gap when its place is gone.
 */
export class EventLog<E> {
  readonly #options: EventLogOptions;
  readonly #readers = new Set<Reader>();
  #kept: Entry<E>[] = [];
  /** The number of the first that is kept, or of the next when none is. */
  #first = 1;
  #weight = 0;
  #end: { readonly error?: unknown } | undefined;
  #paced: (() => void)[] = [];

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  /** The id after which a reader gets what comes next. */
  get last(): string {
    return this.#idOf(this.#next - 1);
  }

  get #next(): number {
    return this.#first + this.#kept.length;
  }

  push(event: E): void {
    const { now } = this.#options;
    const weight = estimateBytes(event);
    this.#kept.push({ value: { id: this.#idOf(this.#next), at: isoTime(now()), event }, weight });
    this.#weight += weight;
    this.#trim();
    for (const { wake } of this.#readers) wake();
  }

  /** Lets go of what is kept, because what follows will not be pushed: whoever comes back finds a gap. */
  breakOff(): void {
    this.#first = this.#next + 1;
    this.#kept = [];
    this.#weight = 0;
  }

  /** Nothing follows. Readers get what is left first, then the error, if there is one. */
  close(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    for (const { wake } of this.#readers) wake();
    this.#letGo();
  }

  /**
   * A promise while some reader is more than `lag` events behind, or what is kept for it is too heavy; it also settles when
   * `signal` is aborted.
   */
  room(lag: number, signal: AbortSignal): Promise<void> | undefined {
    if (signal.aborted || this.#end !== undefined || !this.#isBehind(lag)) return undefined;
    return new Promise((resolve) => {
      const look = () => {
        if (!signal.aborted && this.#end === undefined && this.#isBehind(lag)) {
          this.#paced.push(look);
          return;
        }
        signal.removeEventListener("abort", look);
        resolve();
      };
      signal.addEventListener("abort", look);
      this.#paced.push(look);
    });
  }

  /** Begins at once: what is pushed from now on reaches the reader, whenever it looks. */
  read(after?: string): AsyncIterableIterator<Numbered<E | Gap>> {
    const place = after === undefined ? this.#begin() : this.#placeOf(after);
    let waiting: (() => void)[] = [];
    const wake = () => {
      const woken = waiting;
      waiting = [];
      for (const look of woken) look();
    };
    const reader: Reader = { next: place ?? this.#next, wake };
    let isOver = false;
    let isLost = place === undefined;
    this.#readers.add(reader);
    const leave = () => {
      if (isOver) return;
      isOver = true;
      this.#readers.delete(reader);
      wake();
      this.#letGo();
      if (this.#readers.size === 0) this.#options.onUnread?.();
    };
    const next = async (): Promise<IteratorResult<Numbered<E | Gap>, undefined>> => {
      for (;;) {
        if (isOver) return { done: true, value: undefined };
        if (isLost || reader.next < this.#first) {
          isLost = false;
          return { done: false, value: this.#gap(reader) };
        }
        const entry = this.#kept[reader.next - this.#first];
        if (entry !== undefined) {
          reader.next += 1;
          this.#trim();
          this.#letGo();
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

  /** The number of the event that follows this id; undefined when it is not one of this log's. */
  #placeOf(id: string): number | undefined {
    const { name } = this.#options;
    const digits = id.startsWith(`${name}.`) ? id.slice(name.length + 1) : "";
    const place = /^\d{1,15}$/.test(digits) ? Number(digits) + 1 : undefined;
    return place !== undefined && place <= this.#next ? place : undefined;
  }

  #idOf(number: number): string {
    return `${this.#options.name}.${number}`;
  }

  /** Lets go of the oldest while there is more than may be kept. */
  #trim(): void {
    const { most, isPaced = false } = this.#options;
    const end = isPaced ? this.#firstUnread() : this.#next;
    while (this.#first < end && (this.#kept.length > most || (this.#isHeavy && this.#kept.length > 1))) {
      const entry = this.#kept.shift();
      this.#first += 1;
      this.#weight -= entry?.weight ?? 0;
    }
  }

  get #isHeavy(): boolean {
    return this.#weight > this.#options.mostWeight;
  }

  #firstUnread(): number {
    let first = this.#next;
    for (const { next } of this.#readers) first = Math.min(first, next);
    return first;
  }

  #isBehind(lag: number): boolean {
    const unread = this.#next - this.#firstUnread();
    return unread > lag || (unread > 0 && this.#isHeavy);
  }

  #letGo(): void {
    if (this.#paced.length === 0) return;
    const paced = this.#paced;
    this.#paced = [];
    for (const look of paced) look();
  }
}
