import { expect, it } from "vitest";
import { cutToJsonBytes, formatBytes, utf8Bytes } from "./text-size.ts";

const TEXTS = [
  "",
  "plain",
  "größe",
  "日本",
  "😀😀",
  "\ud800",
  "\udc00",
  "a\ud800b\udc00",
  'q"\\\n\u0000',
  "é😀\ud83dx",
];

it.each(TEXTS)("counts the bytes of %j as an encoder does", (text) => {
  expect(utf8Bytes(text)).toBe(new TextEncoder().encode(text).length);
});

it.each(TEXTS)("cuts %j to any number of bytes, and never within a character", (text) => {
  const jsonBytes = (part: string) => new TextEncoder().encode(JSON.stringify(part)).length - 2;
  for (let most = 0; most <= jsonBytes(text); most += 1) {
    const part = cutToJsonBytes(text, most);
    expect(text.startsWith(part)).toBe(true);
    expect(jsonBytes(part)).toBeLessThanOrEqual(most);
    expect(/[\ud800-\udbff]$/.test(part) && /^[\udc00-\udfff]/.test(text.slice(part.length))).toBe(false);
  }
  expect(cutToJsonBytes(text, jsonBytes(text))).toBe(text);
});

it("writes sizes as people say them", () => {
  const sizes = [0, 1023, 1024, 262_144, 1_572_864, 15_938_355].map(formatBytes);
  expect(sizes).toEqual(["0 bytes", "1023 bytes", "1 KB", "256 KB", "1.5 MB", "15.2 MB"]);
});
