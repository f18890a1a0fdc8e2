import { emitKeypressEvents } from "node:readline";
import type { Readable } from "node:stream";
import type { Terminal } from "../io.ts";

export interface Key {
  /** Such as `return`, `left` or `a`; empty for characters that have none. */
  readonly name: string;
  /** What it types; a paste is one key with all of its text. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
}

export interface Keyboard {
  /** Keys go to this reader until the returned function is called; the latest of several gets them. */
  read(reader: (key: Key) => void): () => void;
  /** Whether keys were pressed that nobody has read yet. The next `readEarlier` gets them. */
  hasEarlier(): boolean;
  /** As `read`, with everything that was typed before anybody read. */
  readEarlier(reader: (key: Key) => void): () => void;
  /** Keys that nobody has read yet stay out of everybody's way until the returned function is called. */
  holdEarlier(): () => void;
  close(): void;
}

/** What Node makes of the bytes a terminal sends. */
interface Keypress {
  readonly name?: string;
  readonly sequence?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

// Pasted text then comes between two marks, and is never taken for commands.
const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";

/**
 * Keys one by one. What is typed while nobody reads is kept for later, except Ctrl-C, which is `interrupted` at once.
 * `write` reaches the terminal even while the process ends.
 */
export function openKeyboard(
  stdin: Readable,
  terminal: Terminal,
  { write, interrupted, gone }: { write: (text: string) => void; interrupted: () => void; gone: () => void },
): Keyboard {
  const readers: ((key: Key) => void)[] = [];
  const earlier: Key[] = [];
  let pasted: string | undefined;
  /** Somebody is about to be given the earlier keys; those that come now are behind them. */
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
    hasEarlier: () => earlier.length > 0,
    readEarlier(reader) {
      const stop = read(reader);
      isCatchingUp = true;
      queueMicrotask(() => {
        isCatchingUp = false;
        // A key may end the reading; what is behind it stays for the one after.
        while (earlier.length > 0 && readers.at(-1) === reader) {
          const key = earlier.shift();
          if (key !== undefined) reader(key);
        }
      });
      return stop;
    },
    holdEarlier() {
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
