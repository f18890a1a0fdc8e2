import { describe, expect, it } from "vitest";
import type { CallOutcome, ToolResult } from "../domain/call.ts";
import { toResultText, toText } from "./result-text.ts";

const end = { callId: "c", shownName: "t", durationMs: 1 };

function result(content: ToolResult["content"], structuredContent?: ToolResult["structuredContent"]): ToolResult {
  return { content, isError: false, ...(structuredContent !== undefined && { structuredContent }) };
}

describe("the text a model gets for a call", () => {
  it("S2.10 begins with `MCP error: ` for a failure that is not the tool's own", () => {
    const outcome: CallOutcome = { ...end, status: "error", failure: { ending: "timed-out", message: "too slow" } };
    expect(toResultText(outcome)).toBe("MCP error: too slow");
  });

  it("D.8 keeps the server's own text for an in-band error", () => {
    const failed = { ...result([{ type: "text", text: "it broke" }]), isError: true };
    const outcome: CallOutcome = {
      ...end,
      status: "error",
      failure: { ending: "tool-error", message: "it broke", result: failed },
    };
    expect(toResultText(outcome)).toBe("it broke");
    expect(toResultText({ ...end, status: "success", result: result([{ type: "text", text: "fine" }]) })).toBe("fine");
  });

  it("D.25 joins text blocks and drops nothing", () => {
    const text = toText(
      result([
        { type: "text", text: "one" },
        { type: "image", mimeType: "image/png", data: "AAAA" },
        { type: "resource_link", uri: "file:///a" },
        { type: "resource", resource: { uri: "file:///b", text: "inside" } },
        { type: "resource", resource: { uri: "file:///c", blob: "AA==" } },
        { type: "resource", resource: 3 },
        { type: "resource", resource: {} },
        { type: "hologram" },
      ]),
    );
    expect(text).toBe(
      "one\n[image, image/png, 3 bytes]\nfile:///a\ninside\nfile:///c\n[resource]\n[resource]\n[hologram]",
    );
  });

  it("D.25 shows structured content when there is no text", () => {
    expect(toText(result([], { a: 1 }))).toBe('{"a":1}');
    expect(toText(result([{ type: "text", text: "a is 1" }], { a: 1 }))).toBe("a is 1");
  });
});
