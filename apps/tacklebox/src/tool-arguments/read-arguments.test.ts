import type { JsonObject, JsonSchema } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { readArguments } from "./read-arguments.ts";
import { toTypedArgument } from "./typed-argument.ts";

const SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    path: { type: "string" },
    head: { type: "integer" },
    ratio: { type: "number" },
    all: { type: "boolean" },
    state: { enum: ["open", "closed", 3, null] },
    tags: { type: "array", items: { type: "string" } },
    sizes: { type: "array", items: { type: "integer" } },
    note: { anyOf: [{ type: "string" }, { type: "null" }] },
    limit: { anyOf: [{ type: "integer" }, { type: "null" }] },
    mixed: { type: ["boolean", "string"] },
    choice: { oneOf: [{ const: "auto" }, { type: "integer", minimum: 1 }] },
    options: { $ref: "#/$defs/Options" },
    "dotted.name": { type: "integer" },
    edits: { type: "array", items: { $ref: "#/$defs/Edit" } },
    labels: { type: "object", additionalProperties: { type: "integer" } },
    open: {},
    either: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
  },
  required: ["path"],
  $defs: {
    Options: {
      allOf: [
        { type: "object", properties: { depth: { type: "integer" } } },
        { properties: { inner: { type: "object", properties: { on: { type: "boolean" } } } } },
      ],
    },
    Edit: { type: "object", properties: { old: { type: "string" } } },
  },
};

function read(words: readonly string[], given: JsonObject = {}, schema: JsonSchema | "unknown" = SCHEMA) {
  const typed = words.flatMap((word) => toTypedArgument(word) ?? []);
  expect(typed).toHaveLength(words.length);
  const result = readArguments(typed, given, schema === "unknown" ? undefined : schema);
  return result.kind === "ok" ? result.arguments : result.messages;
}

describe("arguments typed as name=value", () => {
  it.each<[readonly string[], unknown]>([
    [["path=123"], { path: "123" }],
    [["path="], { path: "" }],
    [["path=a=b:=c"], { path: "a=b:=c" }],
    [["head=5", "ratio=-0.5", "all=true"], { head: 5, ratio: -0.5, all: true }],
    [["head=5.0", "ratio=1e3"], { head: 5, ratio: 1000 }],
    [["state=open"], { state: "open" }],
    [["state=3"], { state: 3 }],
    [["state=null"], { state: null }],
    [["tags=a", "tags=1"], { tags: ["a", "1"] }],
    [["tags=a"], { tags: ["a"] }],
    [['tags=["a","b"]'], { tags: ["a", "b"] }],
    [["tags=[]"], { tags: [] }],
    [["tags=[x]"], { tags: ["[x]"] }],
    [["sizes=1", "sizes=2"], { sizes: [1, 2] }],
    [["note=null"], { note: "null" }],
    [["note:=null"], { note: null }],
    [["limit=null"], { limit: null }],
    [["limit=7"], { limit: 7 }],
    [["mixed=true"], { mixed: "true" }],
    [["choice=auto"], { choice: "auto" }],
    [["choice=4"], { choice: 4 }],
    [["options.depth=2", "options.inner.on=false"], { options: { depth: 2, inner: { on: false } } }],
    [['options={"depth":2}'], { options: { depth: 2 } }],
    [["dotted.name=2"], { "dotted.name": 2 }],
    [['edits={"old":"a"}', 'edits={"old":"b"}'], { edits: [{ old: "a" }, { old: "b" }] }],
    [["labels.x.y=1"], { labels: { "x.y": 1 } }],
    [["labels.x=1"], { labels: { x: 1 } }],
    [["open=5"], { open: 5 }],
    [["open=text"], { open: "text" }],
    [["open=007"], { open: "007" }],
    [['either=["a"]'], { either: ["a"] }],
    [["either=a"], { either: "a" }],
    [["path:=5"], { path: 5 }],
    [['more:={"a":1}'], { more: { a: 1 } }],
  ])("reads %j", (words, expected) => {
    expect(read(words)).toEqual(expected);
  });

  it.each<[readonly string[], string]>([
    [["head=abc"], 'Argument "head" must be a whole number, not "abc".'],
    [["head=1.5"], 'Argument "head" must be a whole number, not "1.5".'],
    [["ratio="], 'Argument "ratio" must be a number, not "".'],
    [["all=yes"], 'Argument "all" must be true or false, not "yes".'],
    [["state=opne"], 'Argument "state" must be one of: "open", "closed", 3, null, not "opne".'],
    [["sizes=1", "sizes=x"], 'Argument "sizes" must be a whole number, not "x".'],
    [["limit=x"], 'Argument "limit" must be a whole number, or null, not "x".'],
    [["path=a", "path=b"], 'Argument "path" takes one value but was given 2.'],
    [["path.x=1"], 'Argument "path" is not an object, so "path.x" cannot be set.'],
    [["head:=abc"], expect.stringMatching(/^Argument "head" is not JSON: /)],
    [
      ["head=12345678901234567890"],
      'Argument "head" cannot be used: the number 12345678901234567890 at the top cannot be kept exactly; write it as a string.',
    ],
    [
      ["pat=a"],
      expect.stringMatching(/^The tool has no argument "pat"\. Did you mean "path"\? It takes: path, head, /),
    ],
    [
      ["options.dept=1"],
      'The tool has no argument "options.dept". Did you mean "options.depth"? It takes: options.depth, options.inner.',
    ],
    [
      ["options=x"],
      'Argument "options" must be an object, written as JSON or member by member, as in options.name=value, not "x".',
    ],
  ])("refuses %j, naming the argument and what it takes", (words, message) => {
    expect(read(words)).toEqual([message]);
  });

  it("says everything that is wrong at once", () => {
    expect(read(["head=x", "all=x", "path=fine"])).toEqual([
      'Argument "head" must be a whole number, not "x".',
      'Argument "all" must be true or false, not "x".',
    ]);
  });

  it("adds to the JSON object beside it, and wins", () => {
    const given = { path: "a", options: { depth: 1, kept: true }, tags: ["a"] };
    expect(read(["path=b", "options.depth=2", "tags=c"], given)).toEqual({
      path: "b",
      options: { depth: 2, kept: true },
      tags: ["c"],
    });
  });

  it("takes any name where the schema takes any, or where there is none", () => {
    expect(read(["x=1", "y=a", "a.b=true"], {}, "unknown")).toEqual({ x: 1, y: "a", a: { b: true } });
    expect(read(["x=1"], {}, { type: "object", properties: { a: {} }, additionalProperties: true })).toEqual({ x: 1 });
    const strings = { type: "object", properties: { a: {} }, additionalProperties: { type: "string" } };
    expect(read(["x=1"], {}, strings)).toEqual({ x: "1" });
  });

  it("T26 makes an ordinary member of a reserved name, which the engine then refuses", () => {
    const made = read(["__proto__.polluted=1"], {}, "unknown");
    expect(Object.keys(made)).toEqual(["__proto__"]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("ends on a schema that refers to itself", () => {
    const list: JsonSchema = { $ref: "#", properties: { next: { $ref: "#" }, on: { type: "boolean" } } };
    expect(read(["next.next.on=true"], {}, list)).toEqual({ next: { next: { on: true } } });
    const loop = { anyOf: [{ $ref: "#" }, { $ref: "#" }] };
    expect(read(["a=1"], {}, loop)).toEqual({ a: 1 });
  });
});

describe("words that are no argument", () => {
  it.each(["read_file", "", "=x", ":=x", "a"])("%j", (word) => {
    expect(toTypedArgument(word)).toBeUndefined();
  });
});
