import { describe, expect, it } from "vitest";
import { type InputLine, splitLines } from "./split-lines.ts";

async function split(chunks: readonly (string | Uint8Array)[], longest = 100): Promise<InputLine[]> {
  async function* bytes() {
    for (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  }
  const lines: InputLine[] = [];
  for await (const line of splitLines(bytes(), longest)) lines.push(line);
  return lines;
}

describe("splitLines", () => {
  it("finds lines wherever chunks are cut, and the last without its newline", async () => {
    expect(await split(["on", "e\ntw", "o\nthree"])).toEqual([
      { kind: "line", number: 1, text: "one", bytes: 3 },
      { kind: "line", number: 2, text: "two", bytes: 3 },
      { kind: "line", number: 3, text: "three", bytes: 5 },
    ]);
  });

  it("leaves blank lines out and counts them", async () => {
    expect(await split(["\n \r\nx\n\n"])).toEqual([{ kind: "line", number: 3, text: "x", bytes: 1 }]);
  });

  it("joins characters that were cut in two", async () => {
    const bytes = Buffer.from("ä\n");
    expect(await split([bytes.subarray(0, 1), bytes.subarray(1)])).toEqual([
      { kind: "line", number: 1, text: "ä", bytes: 2 },
    ]);
  });

  it("refuses a line that is too long, skips its rest and goes on", async () => {
    expect(await split(["aaa", "aaa", "aaa\nbb\n"], 5)).toEqual([
      { kind: "too-long", number: 1 },
      { kind: "line", number: 2, text: "bb", bytes: 2 },
    ]);
  });

  it("accepts a line of exactly the maximum length", async () => {
    expect(await split(["aaaaa\n"], 5)).toEqual([{ kind: "line", number: 1, text: "aaaaa", bytes: 5 }]);
  });

  it("refuses what is not UTF-8 and goes on", async () => {
    expect(await split([Uint8Array.of(0xff, 0x0a), "x\n"])).toEqual([
      { kind: "not-utf8", number: 1 },
      { kind: "line", number: 2, text: "x", bytes: 1 },
    ]);
  });
});
