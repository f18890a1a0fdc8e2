import { PassThrough } from "node:stream";
import { waitUntil } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import type { Terminal } from "../../io.ts";
import { plain } from "../../output/colour.ts";
import { createMemorySink } from "../../testing/memory-io.ts";
import { chooseByKey } from "./choose-by-key.ts";
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
  });
  const screen = createScreen(sink, terminal, plain, (task) => task());
  return { stdin, keyboard, screen, terminal, sink, raw, interrupts: () => interrupts };
}

const NEVER = new AbortController().signal;
const CHOICES = [
  { key: "y", label: "yes" },
  { key: "n", label: "no" },
];

describe("the keyboard", () => {
  it("keeps type-ahead out of a question, for the next reader", async () => {
    const { stdin, keyboard, screen, terminal } = setUp();
    const setting = { label: "", initial: "", other: () => undefined };
    const read = () => readLine(setting, { keyboard, screen, terminal }, NEVER);
    stdin.write("a");
    await waitUntil(() => keyboard.hasTypeAhead());
    const release = keyboard.holdTypeAhead();
    const answer = read();
    stdin.write("answer\rb");
    expect(await answer).toEqual({ kind: "text", text: "answer" });
    release();
    const prompt = read();
    stdin.write("c\r");
    expect(await prompt).toEqual({ kind: "text", text: "abc" });
  });

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

  it("restores the terminal", () => {
    const { keyboard, raw, sink } = setUp();
    keyboard.close();
    expect([raw, sink.text()]).toEqual([[true, false], "\u001b[?2004h\u001b[?2004l"]);
  });
});

describe("a question that takes one key", () => {
  it("is answered by one of its keys and by no other", async () => {
    const { stdin, keyboard, screen } = setUp();
    const chosen = chooseByKey(CHOICES, { keyboard, screen }, NEVER);
    stdin.write("xzN");
    expect(await chosen).toEqual({ kind: "chosen", key: "n" });
  });

  it("is not answered by a person who was typing when it appeared", async () => {
    const { stdin, keyboard, screen, sink } = setUp();
    stdin.write("say ");
    await waitUntil(() => keyboard.hasTypeAhead());
    const chosen = chooseByKey(CHOICES, { keyboard, screen }, NEVER);
    stdin.write("yyy\r");
    await waitUntil(() => sink.text().includes("y yes"));
    expect(sink.text()).toContain("You were typing");
    stdin.write("n");
    expect(await chosen).toEqual({ kind: "chosen", key: "n" });
  });

  it("ends when it is withdrawn, and on Ctrl-C", async () => {
    const { stdin, keyboard, screen } = setUp();
    const withdrawn = new AbortController();
    const first = chooseByKey(CHOICES, { keyboard, screen }, withdrawn.signal);
    withdrawn.abort();
    expect(await first).toEqual({ kind: "none", why: "withdrawn" });
    const second = chooseByKey(CHOICES, { keyboard, screen }, NEVER);
    stdin.write("\u0003");
    expect(await second).toEqual({ kind: "none", why: "interrupted" });
  });
});
