import { emitKeypressEvents } from "node:readline";
import type { Readable } from "node:stream";
import type { Terminal } from "../../io.ts";

export interface Key {
  /** The key's name, such as `return`, `left` or `a`; empty for characters without one. */
  readonly name: string;
  /** The text it types. A paste is one key with all of its text. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
}

export interface Keyboard {
  /** Sends keys to this reader until the returned function is called. The most recent reader gets them. */
  read(reader: (key: Key) => void): () => void;
  /** Whether there are keys that no one has read yet. The next `readWithTypeAhead` gets them. */
  hasTypeAhead(): boolean;
  /** Like `read`, but first delivers the keys that no one has read yet. */
  readWithTypeAhead(reader: (key: Key) => void): () => void;
  /** Sets the keys that no one has read yet aside until the returned function is called. */
  holdTypeAhead(): () => void;
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

/**
 * Reads keys one by one. Keys pressed while no one reads are kept, except Ctrl-C, which calls `interrupted` at once.
 * `write` must reach the terminal even while the process exits.
 */
export function openKeyboard(
  stdin: Readable,
  terminal: Terminal,
  { write, interrupted, gone }: { write: (text: string) => void; interrupted: () => void; gone: () => void },
): Keyboard {
  const readers: ((key: Key) => void)[] = [];
  const earlier: Key[] = [];
  let pasted: string | undefined;
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
    pasted = undefined;
    const reader = isCatchingUp ? undefined : readers.at(-1);
    if (reader !== undefined) reader(key);
    else if (ctrl && name === "c") interrupted();
    else earlier.push(key);
  }

  function read(reader: (key: Key) => void): () => void {
    readers.push(reader);
    return () => {
      const at = readers.indexOf(reader);
      if (at !== -1) readers.splice(at, 1);
    };
  }

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
    holdTypeAhead() {
      const held = earlier.splice(0);
      return () => void earlier.unshift(...held);
    },
    close() {
      stdin.off("keypress", take);
      stdin.off("end", gone);
      stdin.off("close", gone);
      stdin.pause();
      write(PASTE_OFF);
      terminal.setRaw(false);
    },
  };
}
