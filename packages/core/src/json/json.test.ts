import { describe, expect, it } from "vitest";
import { canonicalJson } from "./json.ts";

describe("canonical JSON", () => {
  it("is the same text whatever the order of the keys", () => {
    const one = { b: [1, { d: null, c: true }], a: "x" };
    const other = { a: "x", b: [1, { c: true, d: null }] };
    expect(canonicalJson(one)).toBe('{"a":"x","b":[1,{"c":true,"d":null}]}');
    expect(canonicalJson(other)).toBe(canonicalJson(one));
  });

  it("leaves out members without a value and writes missing items as null", () => {
    expect(canonicalJson({ a: undefined, b: [undefined, 1] })).toBe('{"b":[null,1]}');
    expect([canonicalJson(undefined), canonicalJson(null), canonicalJson([])]).toEqual(["null", "null", "[]"]);
  });

  it.each(['"', "\\", "\n", "\0", "\x1f", "\x7f", "\ud800", "\udfff", "\ud83d\ude00", "\u2028", "é", "[]", " !#", ""])(
    "escapes %j as JSON.stringify does, in keys and in values",
    (text) => {
      const value = { [`k${text}`]: `${text}v` };
      expect(canonicalJson(value)).toBe(JSON.stringify(value));
    },
  );
});
