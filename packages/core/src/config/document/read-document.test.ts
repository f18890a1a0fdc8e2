import { describe, expect, it } from "vitest";
import { formatConfigProblem } from "./config-problem.ts";
import { readDocument } from "./read-document.ts";

function problemsOf(text: string, file = "t.yaml"): string[] {
  const reading = readDocument(text, file);
  return reading.kind === "ok" ? [] : reading.problems.map(formatConfigProblem);
}

function contentOf(text: string, file = "t.yaml"): unknown {
  const reading = readDocument(text, file);
  return reading.kind === "ok" ? reading.document.value : reading.problems;
}

const ROOT = "A config file must be a map with a key such as 'servers', 'mcpServers', 'tools' or 'myai'.";

describe("readDocument", () => {
  it("reads YAML and JSON alike", () => {
    expect(contentOf("a: [1, true, ~, text]")).toEqual({ a: [1, true, null, "text"] });
    expect(contentOf('{\n\t"a": [1, true, null, "\\ud83d\\ude00"]\n}', "t.json")).toEqual({ a: [1, true, null, "😀"] });
    expect(contentOf("\uFEFFa: 1\r\nb: 2\r\n")).toEqual({ a: 1, b: 2 });
  });

  it("accepts comments and trailing commas in JSON files, and keeps positions", () => {
    const text = '{ // one\n  "url": "http://x//y", /* two\n three */ "a": [1,],\n  "b": "\\"//", "b": 1,\n}';
    expect(problemsOf(text, "t.json")).toEqual([
      "t.json:4:16\nThe key 'b' is written twice in one map; remove one of them.",
    ]);
    expect(contentOf(text.replace(', "b": 1', ""), "T.JSONC")).toEqual({ url: "http://x//y", a: [1], b: '"//' });
    expect(contentOf('{"a": 1} /* open', "t.json")).toEqual({ a: 1 });
  });

  it("keeps // in YAML, where it is not a comment", () => {
    expect(contentOf("url: http://x//y")).toEqual({ url: "http://x//y" });
  });

  it("expands aliases, each from the nearest anchor before it", () => {
    expect(contentOf("a: &x {b: &y 1}\nc: *x\n&y d: *y\ne: *y")).toEqual({ a: { b: 1 }, c: { b: 1 }, d: "d", e: "d" });
    expect(contentOf("a: &x [&y 1, *y]\nb: &y 2\nc: *x")).toEqual({ a: [1, 1], b: 2, c: [1, 1] });
  });

  it.each([
    ["", `t.yaml:1:1\nThe file is empty. ${ROOT}`],
    ["# nothing\n", `t.yaml:1:1\nThe file is empty. ${ROOT}`],
    ["~", `t.yaml:1:1\nThe file is empty. ${ROOT}`],
    ["- a", `t.yaml:1:1\n${ROOT}`],
    ["\n  text", `t.yaml:2:3\n${ROOT}`],
    ["a: 1\na: 2", "t.yaml:2:1\nThe key 'a' is written twice in one map; remove one of them."],
    ["1: x\n'1': y", "t.yaml:2:1\nThe key '1' is written twice in one map; remove one of them."],
    ["a: &a [*a]", "t.yaml:1:8\nThe alias *a refers to a value that it is itself part of."],
    ["a: &a {b: {c: *a}}", "t.yaml:1:15\nThe alias *a refers to a value that it is itself part of."],
    ["a: *b", "t.yaml:1:4\nThe alias *b has no anchor (&b) before it."],
    [
      "a: 1\n---\nb: 2",
      "t.yaml:2:1\nA config file holds one document; remove the '---' and what does not belong to it.",
    ],
    ["? [a]\n: b", "t.yaml:1:3\nThis cannot be a key; a key must be plain text."],
    ["x: {__proto__: 1}", "t.yaml:1:5\nThis cannot be a key; a key must be plain text."],
    [": b", "t.yaml:1:1\nThis cannot be a key; a key must be plain text."],
    ["a: !secret x", "t.yaml:1:4\nThis tag (!name) is not supported; remove it."],
    ["%YAML 1.1\n---\na: 2001-01-01", "t.yaml:3:4\nThis kind of value is not supported; put it in quotes."],
    ["\ta: 1", "t.yaml:1:1\nTabs cannot indent YAML; use spaces."],
    ['a: "open', "t.yaml:1:9\nA closing quote, a bracket, a comma, a colon or a space is missing here."],
    [
      "a: b: c",
      "t.yaml:1:4\nA second ': ' on this line starts a map where none can be; put the value in quotes if it is meant as text.",
    ],
  ])("refuses %j with its position", (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  it("reports every invalid value, in the order of the file", () => {
    expect(problemsOf("a: {x: 1, x: 2}\nb: *none\nc: {y: 1, y: 2}").map((text) => text.split("\n")[0])).toEqual([
      "t.yaml:1:11",
      "t.yaml:2:4",
      "t.yaml:3:11",
    ]);
  });

  it("shows no more than the first few of many syntax errors", () => {
    expect(problemsOf("]\n".repeat(50))).toHaveLength(5);
  });

  it("shows the first of several syntax errors on one line", () => {
    expect(problemsOf("]".repeat(50))).toHaveLength(1);
  });

  it("never quotes the text that has a syntax error", () => {
    expect(problemsOf("token: hunter2 'x: y\n ]: - hunter2").join()).not.toContain("hunter2");
  });

  it("refuses aliases that expand to too many values", () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) => `l${level}: &l${level} [${`*l${level - 1}, `.repeat(level === 0 ? 0 : 9)}x]`,
    );
    expect(problemsOf(levels.join("\n")).at(-1)).toMatch(
      /\nThe aliases in this file stand for more than 10000 values; write fewer\.$/,
    );
  });

  it.each(["[", "{a: ", "- ", "? ", "a: ", "[\n", "- [", "\n [", "&a [", "!t ["])(
    "refuses %j repeated until it would exhaust the stack",
    (part) => {
      const [problem] = problemsOf(part.repeat(20_000));
      expect(problem).toMatch(/^t\.yaml:\d+:\d+\n/);
    },
  );

  it("refuses indentation that would exhaust the stack", () => {
    const text = Array.from({ length: 500 }, (_, depth) => `${" ".repeat(depth)}a:\n`).join("");
    expect(problemsOf(text)).toEqual(["t.yaml:201:202\nThis is nested too deeply to be read."]);
  });

  it("reads brackets and punctuation inside texts as text", () => {
    const text = `a: "${"[".repeat(300)}"\nb: x${"- ".repeat(300)}x\nc: |\n  ${"{".repeat(300)}\n  ${"- ".repeat(300)}\n`;
    expect(problemsOf(text)).toEqual([]);
  });

  it("refuses a file of more than 1 MB before reading it", () => {
    const message = "is 10.0 MB; a config file may be at most 1 MB";
    expect(problemsOf("x".repeat(10 * 1024 * 1024))).toEqual([`t.yaml\nt.yaml ${message}`]);
    expect(problemsOf(`a: ${"x".repeat(1024 * 1024 - 2)}`)).toEqual([
      "t.yaml\nt.yaml is 1.1 MB; a config file may be at most 1 MB",
    ]);
    expect(problemsOf(`a: ${"é".repeat(600_000)}`)).toEqual([
      "t.yaml\nt.yaml is 1.2 MB; a config file may be at most 1 MB",
    ]);
  });

  it("locates a path, or the deepest part of it that exists", () => {
    const reading = readDocument("a: &x\n  b: [1, 2]\nc: *x\nd:\n", "t.yaml");
    if (reading.kind !== "ok") throw new Error("the text is valid");
    const at = (path: (string | number)[], where: "key" | "value" = "value") => {
      const [problem] = reading.document.toProblems([{ path, at: where, message: "m" }]);
      return [problem?.line, problem?.column, problem?.path];
    };
    expect(at(["a", "b", 1])).toEqual([2, 10, "a.b[1]"]);
    expect(at(["a", "b"], "key")).toEqual([2, 3, "a.b"]);
    expect(at(["c", "b", 0])).toEqual([2, 7, "c.b[0]"]);
    expect(at(["a", "none", "deeper"])).toEqual([2, 3, "a.none.deeper"]);
    expect(at(["d"], "key")).toEqual([4, 1, "d"]);
    expect(at([])).toEqual([1, 1, ""]);
  });
});
