import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../json/json.ts";
import { shapeProblems } from "./reserved-keys.ts";

const OPEN: JsonSchema = { type: "object" };

/** Parses like a door does: `__proto__` becomes a member like any other. */
function problemsOf(schema: JsonSchema, text: string): string[] {
  return shapeProblems(schema, JSON.parse(text)).map(({ path, message }) => `${path}: ${message}`);
}

describe("T26 names that every object inherits", () => {
  it.each([
    ['{"__proto__": {"admin": true}}', "__proto__", ""],
    ['{"constructor": 1}', "constructor", ""],
    ['{"a": {"prototype": null}}', "prototype", "/a"],
    ['{"a": [0, {"b/c": {"__proto__": 1}}]}', "__proto__", "/a/1/b~1c"],
  ])("are refused in %s", (text, name, path) => {
    expect(problemsOf(OPEN, text)).toEqual([
      `${path}: has the property "${name}", which the tool's schema does not declare`,
    ]);
  });

  it.each<[JsonSchema, string]>([
    [{ properties: { constructor: {} } }, '{"constructor": 1}'],
    [JSON.parse('{"properties": {"__proto__": {"type": "object"}}}'), '{"__proto__": {}}'],
    [{ properties: { a: { items: { properties: { prototype: {} } } } } }, '{"a": [{"prototype": 1}]}'],
    [{ additionalProperties: { properties: { prototype: {} } } }, '{"x": {"prototype": 1}}'],
    [{ anyOf: [{ $ref: "#/$defs/car" }], $defs: { car: { properties: { constructor: {} } } } }, '{"constructor": 1}'],
  ])("are accepted where %j declares them", (schema, text) => {
    expect(problemsOf(schema, text)).toEqual([]);
  });

  it("are refused where the schema declares them only elsewhere", () => {
    const schema: JsonSchema = { properties: { a: { properties: { constructor: {} } }, b: {} } };
    expect(problemsOf(schema, '{"a": {"constructor": 1}, "b": {"constructor": 1}}')).toEqual([
      `/b: has the property "constructor", which the tool's schema does not declare`,
    ]);
  });

  it("are not looked up one by one when there are many", () => {
    const text = JSON.stringify({ list: Array.from({ length: 1_000 }, () => ({ constructor: 1 })) });
    expect(problemsOf(OPEN, text)).toEqual([": has more than 20 properties called __proto__, constructor, prototype"]);
  });

  it("are allowed inside texts", () => {
    expect(problemsOf(OPEN, '{"a": "__proto__", "b": ["constructor"]}')).toEqual([]);
  });
});

describe("T27 arguments", () => {
  it.each([101, 100_000])("nested %i levels deep are refused", (depth) => {
    const text = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect(problemsOf(OPEN, text)).toEqual([": must not be nested more than 100 levels deep"]);
  });

  it("nested 100 levels deep pass", () => {
    expect(problemsOf(OPEN, `${'{"a":'.repeat(100)}1${"}".repeat(100)}`)).toEqual([]);
  });
});

it.each([
  [{ a: [1, { b: Number.POSITIVE_INFINITY }] }, "/a/1/b"],
  [{ "x/y": [Number.NaN] }, "/x~1y/0"],
])("a number that JSON cannot carry is refused with its place", (value, path) => {
  expect(shapeProblems({}, value)).toEqual([
    { path, message: "must be a number that JSON can carry; write larger ones as strings" },
  ]);
});
