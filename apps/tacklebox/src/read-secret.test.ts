import { PassThrough, Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readSecret } from "./read-secret.ts";
import { createMemoryIo, type MemoryIo } from "./testing/memory-io.ts";

/** A stdin that is a terminal. */
function createKeyboard() {
  return Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
}

async function ask(keys: string): Promise<{ read: unknown; io: MemoryIo }> {
  const stdin = createKeyboard();
  const io = createMemoryIo({ stdin, stderrIsTerminal: true, stderrColumns: 80 });
  const reading = readSecret("github", io);
  // Types only once the question is shown: before that nothing is read.
  await expect.poll(() => io.stderr.text()).toContain("Value of github");
  for (const key of keys) stdin.write(key);
  return { read: await reading, io };
}

describe("the value of a secret", () => {
  it.each([
    ["plain", "plain"],
    ["one line\n", "one line"],
    ["windows\r\n", "windows"],
    ["two\n\n", "two\n"],
    ["\uFEFFkept", "\uFEFFkept"],
  ])("is read from stdin, without the final line break: %j", async (input, value) => {
    const io = createMemoryIo({ stdin: Readable.from([Buffer.from(input)]) });
    expect(await readSecret("github", io)).toEqual({ kind: "ok", value });
  });

  it("is refused when it is not text", async () => {
    const io = createMemoryIo({ stdin: Readable.from([Buffer.from([0xff, 0xfe])]) });
    expect(await readSecret("github", io)).toEqual({
      kind: "refused",
      message: "The value is not UTF-8 text. Encode it first, for example in base64.",
    });
  });

  it("is asked for on a terminal, on stderr, and never shown", async () => {
    const { read, io } = await ask("hunter2-hunter2\r");
    expect(read).toEqual({ kind: "ok", value: "hunter2-hunter2" });
    for (const part of ["hun", "ter", "er2", "2-h"]) expect(io.stderr.text()).not.toContain(part);
    expect(io.stdout.text()).toBe("");
  });

  it("is not asked for again after Ctrl-C", async () => {
    expect((await ask("hunter2\u0003")).read).toEqual({ kind: "cancelled" });
  });
});
