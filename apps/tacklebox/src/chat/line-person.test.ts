import { PassThrough } from "node:stream";
import { createManualClock, waitUntil } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { createLinePerson } from "./line-person.ts";
import type { Choice, Chosen } from "./person.ts";
import { QUIET_MS } from "./terminal/answer-keys.ts";

const NEVER = new AbortController().signal;
const CHOICES: readonly Choice[] = [
  { key: "y", label: "once" },
  { key: "s", label: "this session", enter: "allows it for this session" },
];
const OFFERED = "y once, s this session? ";

function setUp() {
  const stdin = new PassThrough();
  const clock = createManualClock();
  let asked = "";
  const ask = (text: string) => {
    asked += text;
  };
  const person = createLinePerson(stdin, ask, clock);
  let answer: Chosen | undefined;
  return {
    person,
    stdin,
    choose: () => void person.choose(CHOICES, NEVER).then((chosen) => (answer = chosen)),
    answer: () => answer,
    /** Waits for a text, letting time pass. */
    async sees(text: string) {
      await waitUntil(() => {
        clock.advance(QUIET_MS);
        return asked.endsWith(text);
      });
      asked = "";
    },
    async settles() {
      await waitUntil(() => {
        clock.advance(QUIET_MS);
        return answer !== undefined;
      });
    },
    nextPrompt: () => person.readPrompt(NEVER),
  };
}

describe("a choice on a terminal that is read by lines", () => {
  it("is made by a line of its own", async () => {
    const { choose, stdin, sees, settles, answer } = setUp();
    choose();
    await sees(OFFERED);
    stdin.write("Y\n");
    await settles();
    expect(answer()).toEqual({ kind: "chosen", key: "y" });
  });

  it("that lasts takes another Enter, and goes back for anything else", async () => {
    const { choose, stdin, sees, settles, answer } = setUp();
    choose();
    await sees(OFFERED);
    stdin.write("s\n");
    await sees("s selected: Enter allows it for this session, anything else goes back. ");
    stdin.write("no\n");
    await sees(`That is kept for your next prompt.\n${OFFERED}`);
    stdin.write("s\n");
    await sees("goes back. ");
    stdin.write("\n");
    await settles();
    expect(answer()).toEqual({ kind: "chosen", key: "s" });
  });

  it("is not made by lines that come together: they begin the next prompts", async () => {
    const { choose, stdin, sees, settles, nextPrompt } = setUp();
    stdin.write("before\n");
    choose();
    await sees(OFFERED);
    stdin.write("s\n\nstop\n");
    await sees(`That is kept for your next prompt.\n${OFFERED}`);
    stdin.write("y\n");
    await settles();
    const lines = [await nextPrompt(), await nextPrompt(), await nextPrompt(), await nextPrompt()];
    expect(lines.map((line) => line.kind === "text" && line.text)).toEqual(["before", "s", "", "stop"]);
  });
});
