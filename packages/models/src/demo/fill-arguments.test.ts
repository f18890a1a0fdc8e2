import type { JsonObject } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { fillArguments } from "./fill-arguments.ts";
import { parametersOf } from "./parameters.ts";

const TEXT = { type: "string" };
const NUMBER = { type: "number" };

function fill(properties: JsonObject, text: string, required = Object.keys(properties)) {
  const parameters = parametersOf({ type: "object", properties, required });
  const { arguments: given, missing } = fillArguments(parameters, { text, restAt: 0, by: "words" });
  return [given, missing.map(({ name }) => name)];
}

describe("arguments from words", () => {
  it.each<[string, JsonObject, string, JsonObject]>([
    ["pairs", { a: TEXT, b: TEXT }, "a=one b=two", { a: "one", b: "two" }],
    ["quoted pairs", { a: TEXT, b: TEXT }, `a="one two" b='three'`, { a: "one two", b: "three" }],
    ["pairs with a colon", { a: TEXT, b: TEXT }, "a: one, b: two", { a: "one", b: "two" }],
    ["text up to the next pair", { a: TEXT, b: TEXT }, "a=one two and b=three", { a: "one two", b: "three" }],
    ["numbers as numbers", { a: NUMBER, b: { type: "integer" } }, "a=-1.5e2 b=7", { a: -150, b: 7 }],
    ["booleans as booleans", { on: { type: "boolean" } }, "on=yes", { on: true }],
    [
      "names with any character",
      { "first name": TEXT, "@b\u202e": TEXT },
      "first name=x @b\u202e=y",
      { "first name": "x", "@b\u202e": "y" },
    ],
    ["a name written another way", { file_name: TEXT }, "File-Name=x", { file_name: "x" }],
    [
      "JSON as the value of a pair",
      { a: { type: "array" }, o: { type: "object" } },
      'a=[1,"]"] o={"b":{}}',
      {
        a: [1, "]"],
        o: { b: {} },
      },
    ],
    ["JSON as text where a text is wanted", { a: TEXT }, 'a={"b": 1}', { a: '{"b": 1}' }],
    ["one JSON object for all", { a: TEXT }, 'x {"a": "}", "more": [1]} y', { a: "}", more: [1] }],
    ["a list with commas", { names: { type: "array", items: TEXT } }, "names=x, y", { names: ["x", "y"] }],
    ["all numbers for a list of numbers", { n: { type: "array", items: NUMBER } }, "of 1, 2 and 3", { n: [1, 2, 3] }],
    ["quoted texts in order", { from: TEXT, into: TEXT }, 'move "a b" to "c d"', { from: "a b", into: "c d" }],
    [
      "places in order",
      { source_path: TEXT, target_path: TEXT },
      "copy ./a.txt to /b/c.txt.",
      {
        source_path: "./a.txt",
        target_path: "/b/c.txt",
      },
    ],
    ["a web address", { url: TEXT }, "fetch https://example.com/a?b=c now", { url: "https://example.com/a?b=c" }],
    [
      "a word that is one of the choices",
      { level: { enum: ["low", "high"] } },
      "set it to HIGH please",
      {
        level: "high",
      },
    ],
    [
      "names inside a sentence",
      { city: TEXT, days: NUMBER },
      "weather for the city of Bern days 3",
      {
        city: "Bern",
        days: 3,
      },
    ],
    [
      "text or nothing as text",
      { a: { anyOf: [{ type: "null" }, TEXT] }, b: { type: ["number", "null"] } },
      "a=x b=1",
      {
        a: "x",
        b: 1,
      },
    ],
    ["a choice of several words", { city: { enum: ["New", "New York"] } }, "in new york?", { city: "New York" }],
    [
      "a choice of several words as a pair",
      { city: { enum: ["New York"] } },
      "city=New York now",
      { city: "New York" },
    ],
    [
      "what something is called",
      { path: TEXT, content: TEXT },
      "called notes with buy milk",
      { path: "notes", content: "buy milk" },
    ],
    ["a name in quotes", { name: TEXT }, 'a list named "to do"', { name: "to do" }],
    [
      "as many places as texts",
      { source: TEXT, target: TEXT },
      "rename a.md to b.md",
      { source: "a.md", target: "b.md" },
    ],
    [
      "what is quoted for a text, not for a place",
      { path: TEXT, text: TEXT },
      'put "x" into a.txt',
      { path: "a.txt", text: "x" },
    ],
    ["what the schema says by default", { a: { ...TEXT, default: "x" }, b: NUMBER }, "b=1", { a: "x", b: 1 }],
  ])("take %s", (_title, properties, text, expected) => {
    expect(fill(properties, text)).toEqual([expected, []]);
  });

  it.each<[string, JsonObject, string, readonly string[]]>([
    ["a number that is none", { a: NUMBER }, "a=many", ["a"]],
    ["a whole number that is none", { a: { type: "integer" } }, "a=1.5", ["a"]],
    ["a choice that is none", { a: { enum: ["x", "y"] } }, "a=z", ["a"]],
    ["two texts in one sentence", { a: TEXT, b: TEXT }, "something long", ["a", "b"]],
    ["an object in words", { a: { type: "object" } }, "with something", ["a"]],
    ["a yes or no that was not said", { a: { type: "boolean" } }, "do it", ["a"]],
    ["a word for a place", { path: TEXT }, "the files", ["path"]],
    ["nothing at all", { a: TEXT }, "  ", ["a"]],
  ])("do not guess %s", (_title, properties, text, missing) => {
    expect(fill(properties, text)).toEqual([{}, missing]);
  });

  it("T26 make an own property of a parameter named __proto__", () => {
    const properties: JsonObject = JSON.parse('{"__proto__": {"type": "string"}}');
    expect(JSON.stringify(fill(properties, "__proto__=x"))).toBe('[{"__proto__":"x"},[]]');
  });

  it("default to the current folder for a tool that lists or searches, and for no other", () => {
    const parameters = parametersOf({ properties: { path: TEXT, pattern: TEXT }, required: ["path", "pattern"] });
    const wish = { by: "words", restAt: 0, here: "." } as const;
    expect(fillArguments(parameters, { ...wish, text: 'find "a b"' }).arguments).toEqual({ path: ".", pattern: "a b" });
    const named = fillArguments(parameters, { ...wish, text: 'find "a b" in docs/' });
    expect(named.arguments).toEqual({ path: "docs/", pattern: "a b" });
  });

  it("leave out optional ones unless they are named", () => {
    const properties = { path: TEXT, limit: NUMBER, note: TEXT };
    expect(fill(properties, "a.txt 5 note this", ["path"])).toEqual([{ path: "a.txt" }, []]);
    expect(fill(properties, "a.txt limit 5", ["path"])).toEqual([{ path: "a.txt", limit: 5 }, []]);
    expect(fill(properties, "path=a.txt note=this one", ["path"])).toEqual([{ path: "a.txt", note: "this one" }, []]);
  });
});
