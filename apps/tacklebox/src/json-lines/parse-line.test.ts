import { describe, expect, it } from "vitest";
import { type ParsedLine, parseLine } from "./parse-line.ts";

const parse = (text: string): ParsedLine =>
  parseLine({ kind: "line", number: 3, text, bytes: text.length }, 16 * 1024 * 1024);

describe("parseLine", () => {
  it("parses a complete line to a request", () => {
    expect(parse('{"id":7,"server":"s","tool":"t","arguments":{"a":1}}')).toEqual({
      kind: "request",
      id: 7,
      request: { server: "s", tool: "t", arguments: { a: 1 } },
    });
  });

  it("needs nothing but the tool", () => {
    expect(parse('{"tool":"t"}')).toEqual({ kind: "request", id: null, request: { tool: "t", arguments: {} } });
  });

  it.each([
    ["[1]", 'line 3: not an object; write {"tool": "name", "arguments": {}}'],
    ['{"id":{},"tool":"t"}', "line 3: id must be a string, number, boolean or null"],
    ["{}", "line 3: tool must be the name of a tool"],
    ['{"tool":""}', "line 3: tool must be the name of a tool"],
    ['{"tool":"t","server":1}', "line 3: server must be the name of a server"],
    ['{"tool":"t","arguments":[]}', "line 3: arguments must be an object"],
    ['{"tool":"t","args":{}}', 'line 3: unknown key "args"; a line has id, server, tool, arguments'],
  ])("refuses %s", (text, message) => expect(parse(text)).toMatchObject({ kind: "refused", message }));

  it.each([
    ['{"id":"x","tool":"t","arguments":{"n":9007199254740993}}', "x", "9007199254740993 at /arguments/n"],
    ['{"id":9007199254740993,"tool":"t"}', null, "9007199254740993 at /id"],
  ])("refuses a number that would be altered: %s", (text, id, what) =>
    expect(parse(text)).toMatchObject({
      kind: "refused",
      id,
      tool: "t",
      message: `line 3: the number ${what} cannot be kept exactly; write it as a string`,
    }),
  );

  it("refuses what is not JSON with the reason", () => {
    const parsed = parse("{oops");
    expect(parsed).toMatchObject({ kind: "refused", id: null, server: null, tool: null });
    expect(parsed.kind === "refused" && parsed.message.startsWith("line 3: not JSON: ")).toBe(true);
  });

  it("keeps the readable parts of a refused line, so that its sender recognises it", () => {
    expect(parse('{"id":"x","server":"s","tool":"t","arguments":1}')).toEqual({
      kind: "refused",
      id: "x",
      server: "s",
      tool: "t",
      message: "line 3: arguments must be an object",
    });
  });

  it("says that a line is too long or not text", () => {
    const longest = 16 * 1024 * 1024;
    expect(parseLine({ kind: "too-long", number: 4 }, longest)).toMatchObject({
      message: "line 4: longer than 16 MiB; it was skipped",
    });
    expect(parseLine({ kind: "not-utf8", number: 5 }, longest)).toMatchObject({ message: "line 5: not UTF-8 text" });
  });
});
