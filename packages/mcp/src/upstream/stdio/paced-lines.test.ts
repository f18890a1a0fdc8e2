import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { deferred } from "../protocol/deferred.ts";
import { readPacedLines } from "./paced-lines.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Reads lines. The gate is closed by `shut` or by a line "last", and opened by `open`. A line that grows to exactly
 * `large` bytes waits for room.
 */
function setUp(large: number) {
  const source = new PassThrough();
  const read: string[] = [];
  const room = deferred<void>();
  const gate = deferred<void>();
  let closed: Promise<void> | undefined;
  const shut = () => {
    closed = gate.promise;
  };
  const lines = {
    maxBytes: 100,
    onLine(line: string) {
      read.push(line);
      if (line === "last") shut();
    },
    onGrow: (bytes: number) => (bytes === large ? room.promise : undefined),
    onOversize: () => undefined,
  };
  readPacedLines(source, { blocked: () => closed }, lines, () => undefined);
  return {
    read,
    isPaused: () => source.isPaused(),
    send: (text: string) => {
      source.write(text);
      return turn();
    },
    giveRoom() {
      room.resolve();
      return turn();
    },
    shut,
    /** What Node does with the output of a process that has exited. */
    resume: () => source.resume(),
    /** Nothing more is held up; what is held up already stays so until `open`. */
    unshut() {
      closed = undefined;
    },
    open() {
      closed = undefined;
      gate.resolve();
      return turn();
    },
  };
}

describe("reading lines from a pipe", () => {
  it("F10 waits for room for a long line, then reads on", async () => {
    const { send, giveRoom, isPaused, read } = setUp(3);
    await send("abc");
    await send("d\n");
    expect([isPaused(), read]).toEqual([true, []]);
    await giveRoom();
    expect([isPaused(), read]).toEqual([false, ["abcd"]]);
  });

  it("F10 goes on waiting for room when a flood is over", async () => {
    const { send, shut, open, giveRoom, isPaused, read } = setUp(3);
    shut();
    await send("x\nabc");
    await send("d\n");
    expect([isPaused(), read]).toEqual([true, []]);
    await open();
    expect([isPaused(), read]).toEqual([true, ["x"]]);
    await giveRoom();
    expect([isPaused(), read]).toEqual([false, ["x", "abcd"]]);
  });

  it("F6 goes on waiting for the end of a flood when there is room", async () => {
    const { send, open, giveRoom, isPaused, read } = setUp(4);
    await send("la");
    await send("st\ny\n");
    await send("z");
    expect([isPaused(), read]).toEqual([true, ["last"]]);
    await giveRoom();
    expect([isPaused(), read]).toEqual([true, ["last"]]);
    await open();
    await send("\n");
    expect([isPaused(), read]).toEqual([false, ["last", "y", "z"]]);
  });

  it("keeps lines in order if the pipe is read on although they are held up", async () => {
    const { send, shut, unshut, resume, open, read } = setUp(99);
    shut();
    await send("x\ny");
    unshut();
    resume();
    await send("z\n");
    expect(read).toEqual([]);
    await open();
    expect(read).toEqual(["x", "yz"]);
  });
});
