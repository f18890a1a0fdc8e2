import { describe, expect, it } from "vitest";
import type { JsonObject, JsonSchema } from "./json.ts";
import { leaveOutNulls } from "./leave-out-nulls.ts";

const text = { type: "string" };

describe("leaving out nulls", () => {
  it.each<[what: string, schema: JsonSchema, given: JsonObject, leftOut: readonly string[]]>([
    ["of an optional parameter", { properties: { a: text, b: text } }, { a: null, b: "x" }, ["/a"]],
    ["but not of a required one", { properties: { a: text }, required: ["a"] }, { a: null }, []],
    ["nor of one that may be null", { properties: { a: { type: ["string", "null"] } } }, { a: null }, []],
    ["nor of one that says nothing about its type", { properties: { a: {}, b: true } }, { a: null, b: null }, []],
    ["nor of one that nobody declares", { properties: {} }, { a: null, constructor: null }, []],
    [
      "of a choice without null",
      { properties: { a: { enum: ["x"] }, b: { enum: ["x", null] } } },
      { a: null, b: null },
      ["/a"],
    ],
    ["of a constant", { properties: { a: { const: 1 }, b: { const: null } } }, { a: null, b: null }, ["/a"]],
    [
      "of alternatives none of which is null",
      { properties: { a: { anyOf: [text, { type: "null" }] }, b: { oneOf: [text, { type: "number" }] } } },
      { a: null, b: null },
      ["/b"],
    ],
    [
      "as far as references lead",
      { properties: { a: { $ref: "#/$defs/t" }, b: { allOf: [{ $ref: "#/$defs/t" }] } }, $defs: { t: text } },
      { a: null, b: null },
      ["/a", "/b"],
    ],
    [
      "in objects and lists of objects",
      {
        properties: { o: { $ref: "#/$defs/o" }, l: { items: { $ref: "#/$defs/o" } } },
        $defs: { o: { properties: { "a/b": text } } },
      },
      { o: { "a/b": null, c: null }, l: [{ "a/b": null }, null, { "a/b": "x" }] },
      ["/o/a~1b", "/l/0/a~1b"],
    ],
    [
      "unless another part requires it",
      { allOf: [{ properties: { a: text, b: text } }, { required: ["a"] }] },
      { a: null, b: null },
      ["/b"],
    ],
    ["of a parameter that may never be given", { properties: { a: false } }, { a: null }, ["/a"]],
  ])("%s", (_what, schema, given, leftOut) => {
    expect(leaveOutNulls({ type: "object", ...schema }, given).leftOut).toEqual(leftOut);
  });

  it("keeps everything else as it was, in its order, and does not touch what it is given", () => {
    const given = Object.freeze({ z: 1, a: null, o: Object.freeze({ b: null, c: [null] }), y: null });
    const schema = { properties: { a: text, o: { properties: { b: text } }, y: { type: "null" } } };
    const { arguments: kept } = leaveOutNulls(schema, given);
    expect(JSON.stringify(kept)).toBe('{"z":1,"o":{"c":[null]},"y":null}');
    expect(given.a).toBeNull();
  });

  it("returns the same object if there is nothing to leave out", () => {
    const given = { a: "x", b: null };
    expect(leaveOutNulls({ properties: { a: text } }, given).arguments).toBe(given);
  });

  it("T27 gives up on schemas that would take forever", () => {
    const endless = { $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } } };
    const schema = { properties: { a: { $ref: "#/$defs/a" } }, ...endless };
    expect(leaveOutNulls(schema, { a: null }).leftOut).toEqual([]);
  });
});
