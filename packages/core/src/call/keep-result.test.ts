import { describe, expect, it } from "vitest";
import type { ToolResult } from "../domain/call.ts";
import type { Json } from "../json/json.ts";
import { webHasher } from "../platform/web-hasher.ts";
import { keepError, keepResult, wholeOf } from "./keep-result.ts";
import { toText } from "./result-text.ts";

const MOST = 2_000;

function bytesOf(value: Json | ToolResult): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

function says(...texts: string[]): ToolResult {
  return { content: texts.map((text) => ({ type: "text", text })), isError: false };
}

/** Keeps a result that is too large, after asserting what holds for each of them. */
async function cut(result: ToolResult, most = MOST): Promise<ToolResult> {
  const kept = await keepResult(result, most, webHasher);
  expect(bytesOf(kept)).toBeLessThanOrEqual(most);
  const whole = { bytes: bytesOf(result), sha256: await webHasher.sha256(JSON.stringify(result)) };
  expect(wholeOf(kept)).toEqual(whole);
  expect(kept.content.at(-1)?.text).toBe(
    `[Kept 2 KB of this result, which has ${(whole.bytes / 1024).toFixed(1).replace(".0", "")} KB. SHA-256 of all of it: ${whole.sha256}]`,
  );
  return { ...kept, content: kept.content.slice(0, -1) };
}

describe("F10 what the record keeps of a result", () => {
  it.each([
    says("short"),
    says(),
    says("x".repeat(1_900)),
    { content: [], structuredContent: { list: Array(500).fill(1) }, isError: true },
    { ...says("with meta"), meta: { "vendor/trace": "abc" } },
  ])("is all of it, as it is, if it is small enough", (result) => {
    expect(keepResult(result, MOST, webHasher)).toBe(result);
  });

  it("is the beginning of a long text", async () => {
    const long = "ä😀\n".repeat(1_000);
    const { content } = await cut(says(long), 2_048);
    const kept = toText({ content, isError: false });
    expect(content).toHaveLength(1);
    expect(long.startsWith(kept)).toBe(true);
    expect(kept.length).toBeGreaterThan(400);
  });

  it("is every block that fits, texts cut, and a note for each image that does not", async () => {
    const image = { type: "image", mimeType: "image/png", data: "A".repeat(4_000) };
    const result: ToolResult = { content: [image, ...says("after it", "y".repeat(9_000)).content], isError: true };
    const kept = await cut(result, 2_048);
    expect(kept.isError).toBe(true);
    expect(kept.content).toEqual([
      { type: "text", text: "[image, image/png, 3000 bytes, not kept]" },
      { type: "text", text: "after it" },
      { type: "text", text: expect.stringMatching(/^y{500,}$/) },
    ]);
  });

  it("is the beginning of a resource's text", async () => {
    const resource = { uri: "file:///a", text: "z".repeat(5_000) };
    const { content } = await cut({ content: [{ type: "resource", resource }], isError: false }, 2_048);
    expect(content).toEqual([
      { type: "resource", resource: { uri: "file:///a", text: expect.stringMatching(/^z+$/) } },
    ]);
  });

  it("leaves structured content out beside a text, and turns it into text where there is none", async () => {
    const structuredContent = { list: Array(2_000).fill("entry") };
    const beside = await cut({ ...says("see the list"), structuredContent }, 2_048);
    expect([beside.content, beside.structuredContent]).toEqual([says("see the list").content, undefined]);
    const alone = await cut({ ...says(), structuredContent }, 2_048);
    expect(alone.content).toEqual([{ type: "text", text: expect.stringMatching(/^\{"list":\["entry","entry",/) }]);
  });

  it("stays within its bytes with very many blocks, and with large meta", async () => {
    await cut(says(...Array(5_000).fill("tiny")), 2_048);
    const kept = await cut({ ...says("text"), meta: { big: "m".repeat(5_000), small: 1 } }, 2_048);
    expect(kept.content).toEqual(says("text").content);
  });

  it("is never taken for a part because the server says so", () => {
    const meta = { "tacklebox/whole": { bytes: 5, sha256: "forged" }, own: 1 };
    const kept = keepResult({ ...says("all"), meta }, MOST, webHasher);
    expect(kept).toEqual({ ...says("all"), meta: { own: 1 } });
  });
});

it("F10 keeps the beginning of a long error, and says so", () => {
  expect(keepError("short", MOST)).toBe("short");
  expect(keepError("e".repeat(3_000), MOST)).toBe(
    `${"e".repeat(2_000)}\n[Only the first 2000 of 3000 characters were kept]`,
  );
});
