import { Readable } from "node:stream";
import { createManualClock, waitUntil } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import type { StdinKind } from "./io.ts";
import { readPrompt } from "./read-prompt.ts";
import { createMemoryIo } from "./testing/memory-io.ts";

/** A stdin that is silent until the test writes to it. */
function openStdin(stdinKind: StdinKind) {
  const stdin = new Readable({ read: () => undefined });
  const io = createMemoryIo({ stdin, stdinKind });
  const clock = createManualClock();
  return { stdin, io, clock, read: (argument: string) => readPrompt(argument, io, clock) };
}

describe("a stdin without input", () => {
  it("is given up with a message when it is a socket and there is an argument", async () => {
    const { io, clock, read } = openStdin("socket");
    const prompt = read("sum up");
    clock.advance(3_000);
    expect(await prompt).toEqual({ kind: "ok", text: "sum up" });
    expect(io.stderr.text()).toContain("Nothing arrived on stdin within 3 s");
  });

  it.each([
    ["pipe-or-file", "sum up", "sum up\n\nlate"],
    ["socket", "-", "late"],
  ] as const)("is waited for when it is a %s and the prompt is %j, and that is said", async (kind, argument, text) => {
    const { stdin, io, clock, read } = openStdin(kind);
    const prompt = read(argument);
    clock.advance(3_000);
    await waitUntil(() => io.stderr.text() !== "");
    expect(io.stderr.text()).toContain("Waiting for the rest of the prompt on stdin");
    stdin.push("late\n");
    stdin.push(null);
    expect(await prompt).toEqual({ kind: "ok", text });
  });

  it("is waited for once it has begun", async () => {
    const { stdin, io, clock, read } = openStdin("socket");
    const prompt = read("sum up");
    stdin.push("one ");
    await waitUntil(() => stdin.readableLength === 0);
    await new Promise(setImmediate);
    clock.advance(60_000);
    stdin.push("two");
    stdin.push(null);
    expect(await prompt).toEqual({ kind: "ok", text: "sum up\n\none two" });
    expect(io.stderr.text()).toBe("");
  });
});
