import { expect, it } from "vitest";
import type { ToolResult } from "../domain/call.ts";
import { mostBytes } from "./most-bytes.ts";

const text = (value: string, type = "text") => ({ type, text: value });
const result = (content: ToolResult["content"], more: Partial<ToolResult> = {}): ToolResult => ({
  content,
  isError: false,
  ...more,
});

it.each([
  result([]),
  result([text("short")]),
  result(Array(4).fill(text("\0".repeat(100)))),
  result([text("", "\0".repeat(1_000))]),
])("F10 is never less than the bytes that a result has: %#", (given) => {
  expect(mostBytes(given)).toBeGreaterThanOrEqual(new TextEncoder().encode(JSON.stringify(given)).length);
});

it.each([
  result(Array(5).fill(text("x"))),
  result([{ type: "text", text: "x", annotations: {} }]),
  result([{ type: "image", data: "AAAA", mimeType: "image/png" }]),
  result([text("x")], { structuredContent: {} }),
  result([text("x")], { meta: {} }),
])("is not known for a result that holds anything but a few texts: %#", (given) => {
  expect(mostBytes(given)).toBe(Infinity);
});
