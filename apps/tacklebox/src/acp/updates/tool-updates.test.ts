import type { CallOutcome } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { APPROVAL_REQUEST } from "../../testing/approval-request.ts";
import { toAskedCall } from "./run-updates.ts";
import { toToolOutput } from "./tool-content.ts";
import { toToolKind } from "./tool-kind.ts";
import { toLocations } from "./tool-locations.ts";

describe("C3.7 the kind of a tool", () => {
  it.each([
    ["read_text_file", undefined, "read"],
    ["write_file", undefined, "edit"],
    ["directory_tree", { readOnlyHint: true }, "read"],
    ["move_file", undefined, "move"],
    ["deleteEverything", undefined, "delete"],
    ["search_files", { readOnlyHint: true }, "search"],
    ["git_delete", { readOnlyHint: true }, "read"],
    ["run-command", undefined, "execute"],
    ["sequentialthinking", undefined, "other"],
    ["frobnicate", { destructiveHint: true }, "edit"],
    ["frobnicate", undefined, "other"],
  ])("%s with %j is %s", (name, annotations, kind) => {
    expect(toToolKind(name, annotations && { annotations })).toBe(kind);
  });
});

describe("C3.7 the files a call is about", () => {
  it("are the arguments named like paths, as absolute paths, the first with its line", () => {
    const args = { path: "src/a.ts", sourceFile: "/b.ts", text: "/not/a/path/argument", line: 7 };
    expect(toLocations(args, "/w")).toEqual([{ path: "/w/src/a.ts", line: 7 }, { path: "/b.ts" }]);
  });

  it("may come as lists, as objects with a path, and as file addresses; each is named once", () => {
    const args = { paths: ["a", "/w/a", { path: "b" }], uri: "file:///c%20d" };
    expect(toLocations(args, "/w")).toEqual([{ path: "/w/a" }, { path: "/w/b" }, { path: "/c d" }]);
  });

  it.each([
    { path: "https://example.com/a" },
    { path: "two\nlines" },
    { path: "" },
    { path: 3 },
    { uri: "file://elsewhere/share/a" },
    { filenames: "a" },
  ])("are not %j", (args) => {
    expect(toLocations(args, "/w")).toEqual([]);
  });
});

const HEAD = { callId: "c", shownName: "t", durationMs: 1 };

describe("C3.7 the output of a call", () => {
  it("forwards blocks that ACP has and shows others as JSON", () => {
    const text = { type: "text", text: "hi", annotations: { priority: 1 } };
    const image = { type: "image", data: "aGk=", mimeType: "image/png" };
    const resource = { type: "resource", resource: { uri: "file:///a", text: "x" } };
    const odd = { type: "hologram", depth: 3 };
    const partial = { type: "text" };
    const content = [text, image, resource, odd, partial];
    const result = { content, structuredContent: { a: 1 }, isError: false };
    const outcome: CallOutcome = { ...HEAD, status: "success", result };
    expect(toToolOutput(outcome, "unused")).toEqual({
      content: [
        ...[text, image, resource].map((block) => ({ type: "content", content: block })),
        { type: "content", content: { type: "text", text: '{"type":"hologram","depth":3}' } },
        { type: "content", content: { type: "text", text: '{"type":"text"}' } },
      ],
      rawOutput: { content, structuredContent: { a: 1 } },
    });
  });

  it("says how a call ended that was never answered", () => {
    const failure = { ending: "denied", message: "Tool call denied: no" } as const;
    expect(toToolOutput({ ...HEAD, status: "error", failure }, "MCP error: no")).toEqual({
      content: [{ type: "content", content: { type: "text", text: "MCP error: no" } }],
      rawOutput: failure,
    });
  });

  it("leaves out a result that would break the connection, and says where to find it", () => {
    const result = { content: [{ type: "text", text: "x".repeat(5_000_000) }], isError: false };
    const output = JSON.stringify(toToolOutput({ ...HEAD, status: "success", result }, ""));
    expect(output).toContain("too many to show here. It is kept in the call log: tacklebox calls --json --tool t");
    expect(output.length).toBeLessThan(1_000);
  });
});

describe("C3.7 a call that a person is asked about", () => {
  it("says why, what the server claims about the tool, and the exact arguments", () => {
    const definition = { name: "t", annotations: { destructiveHint: true } };
    const { content } = toAskedCall(
      { ...APPROVAL_REQUEST, arguments: { path: "a" }, definition },
      { tool: undefined, cwd: "/w" },
    );
    expect(content).toEqual([
      {
        type: "content",
        content: {
          type: "text",
          text: 'always-ask\n\nThe server says it may destroy data.\n\n```json\n{\n  "path": "a"\n}\n```',
        },
      },
    ]);
  });
});
