import { describe, expect, it } from "vitest";
import { OutputTail } from "./output-tail.ts";

const asIs = (text: string) => text;

describe("the end of what a server wrote", () => {
  it("is empty if the server wrote nothing but empty lines", () => {
    const tail = new OutputTail();
    expect(tail.lastLines(5, asIs)).toEqual([]);
    for (let i = 0; i < 100_000; i += 1) tail.push(Buffer.from("\n"));
    expect(tail.lastLines(5, asIs)).toEqual([]);
  });

  it("holds the last lines that are not blank, the unfinished one too", () => {
    const tail = new OutputTail();
    for (let i = 0; i < 5000; i += 1) tail.push(Buffer.from(`line ${i} ${"x".repeat(50)}\r\n\n`));
    tail.push(Buffer.from("10%\r20%\r"));
    tail.push(Buffer.from("grüße"));
    expect(tail.lastLines(4, asIs)).toEqual([`line 4999 ${"x".repeat(50)}`, "10%", "20%", "grüße"]);
    expect(tail.lastLines(100_000, asIs).join("\n").length).toBeLessThan(64 * 1024);
  });

  it.each([1, 7, 1000, 65_535, 65_536, 65_537, 200_000])("is the same in pieces of %i bytes", (size) => {
    const text = Buffer.from(Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join("\n"));
    const tail = new OutputTail();
    for (let start = 0; start < text.length; start += size) tail.push(text.subarray(start, start + size));
    expect(tail.lastLines(3, asIs)).toEqual(["line 19997", "line 19998", "line 19999"]);
  });

  it("holds all of 64 KB written at once but its first line", () => {
    const tail = new OutputTail();
    tail.push(Buffer.from(`first\n${"x".repeat(64 * 1024 - 11)}\nlast`));
    expect(tail.lastLines(5, asIs)).toEqual(["x".repeat(400), "last"]);
  });

  it("redacts before it cuts, so that no half of a secret is shown", () => {
    const redact = (text: string) => text.replaceAll("hunter2\nhunter2", "[redacted]").replaceAll("tok-123", "[-]");
    const tail = new OutputTail();
    tail.push(Buffer.from(`${"x".repeat(397)}tok-123\nsaid hunter2\nhunter2\n`));
    expect(tail.lastLines(5, redact)).toEqual([`${"x".repeat(397)}[-]`, "said [redacted]"]);
  });

  it("shows nothing of a line whose beginning was written over", () => {
    const tail = new OutputTail();
    tail.push(Buffer.from(`secret ${"x".repeat(100_000)}`));
    expect(tail.lastLines(5, asIs)).toEqual([]);
    tail.push(Buffer.from("\nnext"));
    expect(tail.lastLines(5, asIs)).toEqual(["next"]);
  });
});
