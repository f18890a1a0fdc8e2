import { PassThrough, Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readChunks, readWhole } from "./read-chunks.ts";

describe("readChunks", () => {
  it("ends when aborted while it waits for input", async () => {
    const stream = new PassThrough();
    const abort = new AbortController();
    const chunks: string[] = [];
    stream.write("one");
    for await (const chunk of readChunks(stream, abort.signal)) {
      chunks.push(Buffer.from(chunk).toString());
      abort.abort();
    }
    expect(chunks).toEqual(["one"]);
  });

  it("passes a broken stream's error on", async () => {
    const stream = new PassThrough();
    stream.destroy(new Error("cable cut"));
    const read = async () => {
      for await (const _ of readChunks(stream, new AbortController().signal));
    };
    await expect(read()).rejects.toThrow("cable cut");
  });
});

describe("readWhole", () => {
  it("reads the whole stream", async () => expect(await readWhole(Readable.from(["a", "b"]), 2)).toBe("ab"));
  it("gives up beyond the limit", async () => expect(await readWhole(Readable.from(["a", "bc"]), 2)).toBeUndefined());
});
