import { emitKeypressEvents } from "node:readline";
import type { Readable } from "node:stream";
import type { Clock } from "@tacklebox/core";
import type { Terminal } from "../../io.ts";

export interface Key {
  /** The key's name, such as `return`, `left` or `a`; empty for characters without one. */
  readonly name: string;
  /** The text it types. A paste is one key with all of its text. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
}

export interface Arrival {
  /** Counts up with everything that arrives. */
  readonly number: number;
  /** In the monotonic time of the clock. */
  readonly at: number;
}

/** `cameAlone`: the terminal sent nothing else together with the key, and it is not pasted. */
export type KeyReader = (key: Key, cameAlone: boolean) => void;

export interface Keyboard {
  /** Sends keys to this reader until the returned function is called. The most recent reader gets them. */
  read(reader: KeyReader): () => void;
  /** Whether there are keys that no one has read yet. The next `readWithTypeAhead` gets them. */
  hasTypeAhead(): boolean;
  /** Like `read`, but first delivers the keys that no one has read yet. */
  readWithTypeAhead(reader: (key: Key) => void): () => void;
  /** Removes the keys that no one has read yet and returns them. */
  takeTypeAhead(): readonly Key[];
  /** Puts keys before those that no one has read yet. */
  putBack(keys: readonly Key[]): void;
  /** What the terminal sent last, whoever read it. The start of an escape sequence arrives before it is a key. */
  lastArrival(): Arrival;
  close(): void;
}

/** A key as Node parses it from the terminal's bytes. */
interface Keypress {
  readonly name?: string;
  readonly sequence?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

// Bracketed paste: pasted text arrives between two marks and is never taken for commands.
const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";

export interface KeyboardDeps {
  /** Must reach the terminal even while the process exits. */
  readonly write: (text: string) => void;
  readonly interrupted: () => void;
  readonly gone: () => void;
  readonly clock: Pick<Clock, "monotonic">;
}

/**
 * Reads keys one by one. Keys pressed while no one reads are kept, except Ctrl-C, which calls `interrupted` at once.
 */
export function openKeyboard(
  stdin: Readable,
  terminal: Terminal,
  { write, interrupted, gone, clock }: KeyboardDeps,
): Keyboard {
  const readers: KeyReader[] = [];
  const earlier: Key[] = [];
  let pasted: string | undefined;
  let arrived = "";
  let lastArrival: Arrival = { number: 0, at: Number.NEGATIVE_INFINITY };
  /** A reader is about to get the earlier keys, so new keys must queue up after them. */
  let isCatchingUp = false;

  function take(text: string | undefined, press: Keypress): void {
    const { name = "", sequence = "", ctrl = false, meta = false } = press;
    if (name === "paste-start") {
      pasted = "";
      return;
    }
    if (pasted !== undefined && name !== "paste-end") {
      pasted += sequence === "\r" ? "\n" : sequence;
      return;
    }
    const key = { name: pasted === undefined ? name : "", text: pasted ?? text ?? "", ctrl, meta };
    const cameAlone = pasted === undefined && arrived === sequence;
    pasted = undefined;
    const reader = isCatchingUp ? undefined : readers.at(-1);
    if (reader !== undefined) reader(key, cameAlone);
    else if (ctrl && name === "c") interrupted();
    else earlier.push(key);
  }

  function receive(chunk: Buffer | string): void {
    arrived = chunk.toString();
    lastArrival = { number: lastArrival.number + 1, at: clock.monotonic() };
  }

  function read(reader: KeyReader): () => void {
    readers.push(reader);
    return () => {
      const at = readers.indexOf(reader);
      if (at !== -1) readers.splice(at, 1);
    };
  }

  // Before Node's own listener, so that every key finds here what it arrived with.
  stdin.on("data", receive);
  emitKeypressEvents(stdin);
  stdin.on("keypress", take);
  stdin.once("end", gone);
  stdin.once("close", gone);
  terminal.setRaw(true);
  write(PASTE_ON);
  stdin.resume();
  return {
    read,
    hasTypeAhead: () => earlier.length > 0,
    readWithTypeAhead(reader) {
      const stop = read(reader);
      isCatchingUp = true;
      queueMicrotask(() => {
        isCatchingUp = false;
        // A key may end the reading; the keys after it stay for the next reader.
        while (earlier.length > 0 && readers.at(-1) === reader) {
          const key = earlier.shift();
          if (key !== undefined) reader(key);
        }
      });
      return stop;
    },
    takeTypeAhead: () => earlier.splice(0),
    putBack: (keys) => void earlier.unshift(...keys),
    lastArrival: () => lastArrival,
    close() {
      stdin.off("data", receive);
      stdin.off("keypress", take);
      stdin.off("end", gone);
      stdin.off("close", gone);
      stdin.pause();
      write(PASTE_OFF);
      terminal.setRaw(false);
    },
  };
}
