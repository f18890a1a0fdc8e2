import { afterEach, describe, expect, it, vi } from "vitest";
import { createLineFramer } from "./line-framer.ts";

function frame(maxBytes: number, chunks: Iterable<string | Buffer>) {
  const lines: string[] = [];
  const dropped: [string, string][] = [];
  const framer = createLineFramer({
    maxBytes,
    onLine: (line) => void lines.push(line),
    onOversize: (head, tail) => void dropped.push([head, tail]),
  });
  for (const chunk of chunks) framer.push(Buffer.from(chunk));
  return { lines, dropped };
}

afterEach(() => void vi.restoreAllMocks());

describe("splitting a stream into lines", () => {
  it("joins pieces, strips carriage returns and skips empty lines", () => {
    expect(frame(100, ["a", "b\nc\r\n", "\n\r\nd"]).lines).toEqual(["ab", "c"]);
  });

  it("stops before a line when it is blocked, and goes on with the rest", () => {
    const lines: string[] = [];
    const framer = createLineFramer({
      maxBytes: 100,
      onLine: (line) => void lines.push(line),
      onOversize: () => undefined,
      isBlocked: () => lines.length % 2 === 1,
    });
    const rest = framer.push(Buffer.from("a\nb\nc\nd"));
    expect(lines).toEqual(["a"]);
    lines.push("(passed)");
    expect(rest?.toString()).toBe("b\nc\nd");
    const last = framer.push(rest ?? Buffer.alloc(0));
    expect(last?.toString()).toBe("c\nd");
    lines.push("(passed)");
    expect(framer.push(Buffer.from("c"))).toBeUndefined();
  });

  it("F6: reports an empty line, and asks before it, as before any other", () => {
    let empty = 0;
    const framer = createLineFramer({
      maxBytes: 100,
      onLine: () => undefined,
      onEmpty: () => {
        empty += 1;
      },
      onOversize: () => undefined,
      isBlocked: () => empty === 2,
    });
    expect(framer.push(Buffer.from("\n\r\n\n\n"))?.toString()).toBe("\n\n");
    expect(empty).toBe(2);
  });

  it.each([1, 2, 3, 5, 7, 11])("finds the same lines in pieces of %i bytes, cut characters included", (size) => {
    const lines = ["grüße 😀", "x".repeat(40), '{"a":"\\n"}', "…", "end"];
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    expect(frame(100, pieces)).toEqual({ lines, dropped: [] });
  });

  it.each([[["x".repeat(601), "\n"]], [[`${"x".repeat(601)}\n`]], [["x".repeat(300), `${"x".repeat(301)}\n`]]])(
    "accepts a line of exactly the limit and drops one a byte longer, however it is split (%#)",
    (tooLong) => {
      const fits = tooLong.map((piece, index) => (index === 0 ? piece.slice(1) : piece));
      expect(frame(600, [...fits, ...tooLong, "next\n"])).toMatchObject({
        lines: ["x".repeat(600), "next"],
        dropped: [["x".repeat(256), "x".repeat(256)]],
      });
    },
  );

  it("keeps both ends of a dropped line", () => {
    const { lines, dropped } = frame(600, [`start${"x".repeat(1000)}`, "y".repeat(500), "e", "n", "d\nnext\n"]);
    expect(lines).toEqual(["next"]);
    expect(dropped).toEqual([[`start${"x".repeat(251)}`, `${"y".repeat(253)}end`]]);
  });

  it.each([64, 64 * 1024])("copies a line of 4 MiB in pieces of %i bytes only a few times", (size) => {
    const total = 4 * 1024 * 1024;
    const piece = Buffer.alloc(size, "x");
    let allocated = 0;
    const allocate = Buffer.allocUnsafe.bind(Buffer);
    vi.spyOn(Buffer, "allocUnsafe").mockImplementation((bytes) => {
      allocated += bytes;
      return allocate(bytes);
    });
    const lines: number[] = [];
    const framer = createLineFramer({
      maxBytes: 2 * total,
      onLine: ({ length }) => void lines.push(length),
      onOversize: () => {},
    });
    for (let sent = 0; sent < total; sent += size) framer.push(piece);
    framer.push(Buffer.from("\n"));
    expect(lines).toEqual([total]);
    expect(allocated).toBeLessThan(5 * total);
  });
});
