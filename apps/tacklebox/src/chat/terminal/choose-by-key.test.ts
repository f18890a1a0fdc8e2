import { describe, expect, it } from "vitest";
import type { Choice, Chosen } from "../person.ts";
import { openTypingDesk } from "../testing/typing-desk.ts";
import { QUIET_MS } from "./answer-keys.ts";

const NEVER = new AbortController().signal;
const CHOICES: readonly Choice[] = [
  { key: "y", label: "once" },
  { key: "s", label: "this session", enter: "allows it for this session" },
  { key: "n", label: "no" },
];
const OFFERED = "y once  s+Enter this session  n no";
const TYPING = ["Not an answer: this goes into your next prompt. Enter returns to the question."];
const CTRL_C = "\u0003";

/** A person who is asked, and has been for a while. */
async function ask(columns?: number) {
  const desk = openTypingDesk(columns);
  const withdrawn = new AbortController();
  let answer: Chosen | undefined;
  void desk.person.choose(CHOICES, withdrawn.signal).then((chosen) => {
    answer = chosen;
  });
  await desk.wait(QUIET_MS);
  return {
    ...desk,
    answer: () => (answer?.kind === "chosen" ? answer.key : answer?.why),
    withdraw: () => withdrawn.abort(),
    /** Presses one key after the other, like somebody who thinks in between. */
    async press(...keys: readonly string[]) {
      for (const key of keys) {
        await desk.type(key);
        await desk.wait(QUIET_MS);
      }
    },
    /** What the next prompt begins with. */
    async nextPrompt() {
      void desk.person.readPrompt(NEVER);
      await desk.settle();
      return desk.rows()[0];
    },
  };
}

describe("a question that takes one key", () => {
  it("offers its keys on one line, and takes one that is pressed alone", async () => {
    const { rows, type, wait, answer } = await ask();
    expect(rows()).toEqual([OFFERED]);
    await type("n");
    await wait(QUIET_MS - 1);
    expect(answer()).toBe(undefined);
    await wait(1);
    expect([answer(), rows()]).toEqual(["n", []]);
  });

  it("offers nothing, and takes nothing, in the moment it appears", async () => {
    const { person, rows, type, wait } = openTypingDesk();
    let isAnswered = false;
    void person.choose(CHOICES, NEVER).then(() => {
      isAnswered = true;
    });
    await wait(QUIET_MS - 1);
    expect(rows()).toEqual([]);
    await type("y");
    await wait(10 * QUIET_MS);
    expect([rows(), isAnswered]).toEqual([["› y", ...TYPING], false]);
  });

  it("takes nothing for a moment after the last key of whatever came before it", async () => {
    const { person, rows, type, wait } = openTypingDesk();
    void person.readPrompt(NEVER);
    await wait(10 * QUIET_MS);
    await type("go\r");
    void person.choose(CHOICES, NEVER);
    await wait(QUIET_MS - 1);
    await type("y");
    expect(rows()).toEqual(["› y", ...TYPING]);
  });

  it("an answer that lasts is selected visibly, and confirmed by Enter", async () => {
    const { rows, press, answer } = await ask();
    await press("s");
    expect([rows(), answer()]).toEqual([
      ["s selected: Enter allows it for this session, Backspace goes back."],
      undefined,
    ]);
    await press("\r");
    expect(answer()).toBe("s");
  });

  it.each([
    ["Backspace", "\u007f"],
    ["an arrow", "\u001b[A"],
  ])("%s cancels what is selected", async (_, key) => {
    const { rows, press, answer } = await ask();
    await press("s", key);
    expect(rows()).toEqual([OFFERED]);
    await press("\r");
    expect(answer()).toBe(undefined);
  });

  it("goes on as text when something is typed after what was selected, even slowly", async () => {
    const { rows, press, answer, nextPrompt, withdraw } = await ask();
    await press("s", ..."top that".split(""));
    expect([rows(), answer()]).toEqual([["› stop that", ...TYPING], undefined]);
    withdraw();
    expect(await nextPrompt()).toBe("› stop that");
  });

  it.each([
    ["two keys in one chunk", ["s\r"]],
    ["two keys at once", ["s", "\r"]],
    ["a key with an escape behind it", ["s\u001b", "\r"]],
    ["a key and, at once, the start of an escape sequence", ["y", "\u001b"]],
    ["a word", ["y", "e", "s"]],
    ["a pasted key", ["\u001b[200~y\u001b[201~"]],
    ["a pasted key and Enter", ["\u001b[200~s\r\u001b[201~"]],
  ])("is not answered by %s", async (_, chunks) => {
    const { type, wait, answer } = await ask();
    for (const chunk of chunks) await type(chunk);
    await wait(10 * QUIET_MS);
    expect(answer()).toBe(undefined);
  });

  it("takes an Enter that came with something else as part of a text", async () => {
    const { press, type, wait, rows, answer } = await ask();
    await press("s");
    await type("\rx");
    await wait(10 * QUIET_MS);
    expect([rows(), answer()]).toEqual([["› s", "  x", ...TYPING], undefined]);
  });

  it("keeps what was typed for the next prompt, once Enter ended it, and is answered then", async () => {
    const { rows, type, wait, press, answer, nextPrompt } = await ask();
    await type("stop that please");
    expect(rows()).toEqual(["› stop that please", ...TYPING]);
    await press("y", "\u007f");
    expect([rows()[0], answer()]).toEqual(["› stop that please", undefined]);
    await type("\r");
    await wait(QUIET_MS);
    expect(rows()).toEqual([OFFERED, "Kept for your next prompt: stop that please"]);
    await press("n");
    expect(answer()).toBe("n");
    expect(await nextPrompt()).toBe("› stop that please");
  });

  it("keeps what is pasted in lines, and sends none of them", async () => {
    const { rows, type, wait, nextPrompt, withdraw } = await ask();
    await type("one\rtwo\r");
    await wait(QUIET_MS);
    expect(rows()[1]).toBe("Kept for your next prompt: one\\ntwo");
    withdraw();
    expect(await nextPrompt()).toBe("› one");
  });

  it("asks again once everything typed is erased", async () => {
    const { rows, type, press, answer } = await ask();
    await type("ok");
    await press("\u007f", "\u007f");
    expect(rows()).toEqual([OFFERED]);
    await press("y");
    expect(answer()).toBe("y");
  });

  it("shows what was typed before it, and an Enter among that still sends its line", async () => {
    const { person, rows, type, wait, settle } = openTypingDesk();
    await type("first\rsec");
    void person.choose(CHOICES, NEVER);
    await wait(QUIET_MS);
    expect(rows()).toEqual(["› sec", ...TYPING]);
    await type("ond");
    expect(rows()[0]).toBe("› second");
    const prompts: unknown[] = [];
    void person.readPrompt(NEVER).then((reply) => prompts.push(reply));
    await settle();
    void person.readPrompt(NEVER);
    await settle();
    expect([prompts, rows()]).toEqual([[{ kind: "text", text: "first" }], ["› second"]]);
  });

  it("ends when it is withdrawn, and a key that did not count yet becomes text", async () => {
    const { type, withdraw, settle, answer, nextPrompt } = await ask();
    await type("s");
    withdraw();
    await settle();
    expect([answer(), await nextPrompt()]).toEqual(["withdrawn", "› s"]);
  });

  it("ends on Ctrl-C at once, in whatever company", async () => {
    const { type, answer } = await ask();
    await type(`xs${CTRL_C}`);
    expect(answer()).toBe("interrupted");
  });

  it("folds what it says on a narrow terminal", async () => {
    const { rows, press } = await ask(40);
    expect(rows()).toEqual(["y once  s+Enter this session  n no"]);
    await press("s");
    expect(rows()).toEqual(["s selected: Enter allows it for this", "session, Backspace goes back."]);
  });
});
