import { PassThrough } from "node:stream";
import { createManualClock, waitUntil } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import type { Terminal } from "../../io.ts";
import { plain } from "../../output/colour.ts";
import { createMemorySink } from "../../testing/memory-io.ts";
import { type Key, openKeyboard } from "./keyboard.ts";
import { readLine } from "./read-line.ts";
import { createScreen } from "./screen.ts";

function setUp() {
  const stdin = new PassThrough();
  const raw: boolean[] = [];
  const terminal: Terminal = {
    columns: () => 80,
    rows: () => 24,
    onResize: () => () => undefined,
    setRaw: (on) => void raw.push(on),
  };
  const sink = createMemorySink();
  let interrupts = 0;
  const keyboard = openKeyboard(stdin, terminal, {
    write: (text) => void sink.write(text),
    interrupted: () => {
      interrupts += 1;
    },
    gone: () => undefined,
    clock: createManualClock(),
  });
  const screen = createScreen(sink, terminal, plain, (task) => task());
  return { stdin, keyboard, screen, terminal, sink, raw, interrupts: () => interrupts };
}

const NEVER = new AbortController().signal;

describe("the keyboard", () => {
  it("delivers a paste as one key, whatever is in it", async () => {
    const { stdin, keyboard } = setUp();
    const keys: Key[] = [];
    keyboard.read((key) => keys.push(key));
    stdin.write("a\u001b[200~one\rtwo\u0003\u001b[201~\u001b[A");
    await waitUntil(() => keys.length === 3);
    expect(keys.map(({ name, text, ctrl }) => [name, text, ctrl])).toEqual([
      ["a", "a", false],
      ["", "one\ntwo\u0003", false],
      ["up", "", false],
    ]);
  });

  it("keeps keys pressed while no one reads for the next line, and reports Ctrl-C at once", async () => {
    const { stdin, keyboard, screen, terminal, interrupts } = setUp();
    stdin.write("later\u0003\rmore");
    await waitUntil(() => interrupts() === 1 && keyboard.hasTypeAhead());
    const setting = { label: "> ", initial: "", other: () => undefined };
    const deps = { keyboard, screen, terminal };
    expect(await readLine(setting, deps, NEVER)).toEqual({ kind: "text", text: "later" });
    const next = readLine(setting, deps, NEVER);
    stdin.write("!\r");
    expect(await next).toEqual({ kind: "text", text: "more!" });
  });

  it("tells a reader whether a key came alone: not with other bytes, and not in a paste", async () => {
    const { stdin, keyboard } = setUp();
    const keys: (readonly [string, boolean])[] = [];
    keyboard.read(({ name, text }, cameAlone) => keys.push([name || text, cameAlone]));
    for (const [count, chunk] of [
      [1, "s"],
      [3, "s\r"],
      [4, "\u001b[A"],
      [5, "\u001b[200~s\u001b[201~"],
      [6, "s\u001b"],
    ] as const) {
      stdin.write(chunk);
      await waitUntil(() => keys.length === count);
    }
    expect(keys).toEqual([
      ["s", true],
      ["s", false],
      ["return", false],
      ["up", true],
      ["s", false],
      ["s", false],
    ]);
  });

  it("restores the terminal", () => {
    const { keyboard, raw, sink } = setUp();
    keyboard.close();
    expect([raw, sink.text()]).toEqual([[true, false], "\u001b[?2004h\u001b[?2004l"]);
  });
});
