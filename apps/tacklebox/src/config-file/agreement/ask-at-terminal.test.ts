import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { SignalName } from "../../io.ts";
import { createMemoryIo } from "../../testing/memory-io.ts";
import { askAtTerminal } from "./ask-at-terminal.ts";

const proposal = {
  file: "/project/tacklebox.yaml",
  demands: { entries: [], variables: [], secrets: [] },
  before: undefined,
};

function ask() {
  const stdin = new PassThrough();
  const io = createMemoryIo({ stdin, stdinKind: "terminal", stderrIsTerminal: true });
  return { io, stdin, answer: askAtTerminal(io)?.(proposal) };
}

async function untilAsked(stdin: PassThrough): Promise<void> {
  await expect.poll(() => stdin.listenerCount("data")).toBe(1);
}

describe("the question whether to agree to a config file", () => {
  it.each([
    ["yes\n", true],
    [" YES \n", true],
    ["y\n", false],
    ["\n", false],
  ])("takes %j as %s, and does not end the program", async (typed, agreed) => {
    const { io, stdin, answer } = ask();
    stdin.write(typed);
    expect([await answer, io.exits]).toEqual([agreed, []]);
  });

  it.each<SignalName>(["SIGINT", "SIGTERM", "SIGHUP"])("is left at %s, with the exit code for that", async (signal) => {
    const { io, stdin, answer } = ask();
    await untilAsked(stdin);
    io.raise(signal);
    expect([await answer, io.exits]).toEqual([false, [130]]);
  });

  it("is asked after others have read from the input", async () => {
    const stdin = new PassThrough();
    stdin.on("data", () => undefined).pause();
    const io = createMemoryIo({ stdin, stdinKind: "terminal", stderrIsTerminal: true });
    const answer = askAtTerminal(io)?.(proposal);
    stdin.write("yes\n");
    expect(await answer).toBe(true);
  });

  it("is not asked once the input is over", async () => {
    const ended = new PassThrough();
    ended.resume().end();
    await expect.poll(() => ended.readableEnded).toBe(true);
    const destroyed = new PassThrough().destroy();
    for (const stdin of [ended, destroyed])
      expect(askAtTerminal(createMemoryIo({ stdin, stdinKind: "terminal", stderrIsTerminal: true }))).toBeUndefined();
  });

  it("is answered with no when the input ends or the terminal is gone", async () => {
    const ended = ask();
    ended.stdin.end();
    expect([await ended.answer, ended.io.exits]).toEqual([false, []]);
    const gone = ask();
    await untilAsked(gone.stdin);
    gone.stdin.emit("error", Object.assign(new Error("read EIO"), { code: "EIO" }));
    expect([await gone.answer, gone.io.exits]).toEqual([false, []]);
    const closed = ask();
    await untilAsked(closed.stdin);
    closed.stdin.destroy();
    expect([await closed.answer, closed.io.exits]).toEqual([false, []]);
  });
});
