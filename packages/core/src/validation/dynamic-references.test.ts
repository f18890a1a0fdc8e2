import { describe, expect, it } from "vitest";
import type { Json, JsonSchema } from "../json/json.ts";
import { compileSchema } from "./compile-schema.ts";
import { matchNatively } from "./match-pattern.ts";
import { createRun } from "./run.ts";

function fits(schema: JsonSchema, value: Json): boolean {
  return compileSchema(schema, matchNatively)(value, createRun(100_000), "", undefined);
}

/** A generic list whose entries are whatever `entry` means to whoever uses the list. */
const LIST = {
  $id: "list",
  type: "array",
  items: { $dynamicRef: "#entry" },
  $defs: { any: { $dynamicAnchor: "entry" } },
};
const TEXT = { $dynamicAnchor: "entry", type: "string" };
const NUMBER = { $dynamicAnchor: "entry", type: "number" };
const TREE = {
  $id: "tree",
  $dynamicAnchor: "node",
  type: "object",
  properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
};
const CHOICE = {
  if: { properties: { kind: { const: "numbers" } }, required: ["kind"] },
  [`th${"en"}`]: { $ref: "numbers" },
  else: { $ref: "texts" },
  $defs: {
    generic: { $id: "generic", properties: { list: { $ref: "list" } } },
    list: LIST,
    numbers: { $id: "numbers", $ref: "generic", $defs: { entry: NUMBER } },
    texts: { $id: "texts", $ref: "generic", $defs: { entry: TEXT } },
  },
};
const LEFT = {
  if: { $id: "first", $defs: { entry: NUMBER } },
  [`th${"en"}`]: { $id: "second", $ref: "start", $defs: { entry: { $dynamicAnchor: "entry", type: "null" } } },
  $defs: { start: { $id: "start", $dynamicRef: "inner#entry" }, inner: { $id: "inner", ...TEXT } },
};
const EXTENDED = {
  $id: "https://x.example/root",
  $dynamicAnchor: "meta",
  properties: { sure: { const: "yes" } },
  $ref: "extended",
  $defs: {
    bar: { $id: "bar", properties: { inner: { $dynamicRef: "extended#meta" } } },
    extended: { $id: "extended", $dynamicAnchor: "meta", properties: { bar: { $ref: "bar" } } },
  },
};
const NOT_EXTENDED = {
  ...EXTENDED,
  $defs: { ...EXTENDED.$defs, extended: { $id: "extended", $anchor: "meta", properties: { bar: { $ref: "bar" } } } },
};

describe("a dynamic reference", () => {
  it.each<[what: string, schema: JsonSchema, value: Json, expected: boolean]>([
    ["leads to the anchor of its own resource", { items: { $dynamicRef: "#entry" }, $defs: { TEXT } }, ["a", 1], false],
    [
      "leads to a plain anchor too",
      { items: { $dynamicRef: "#e" }, $defs: { a: { $anchor: "e", type: "null" } } },
      [1],
      false,
    ],
    ["is found by $ref like any anchor", { items: { $ref: "#entry" }, $defs: { TEXT } }, [1], false],
    ["leads to the outermost anchor of its name: fits", { $ref: "list", $defs: { TEXT, LIST } }, ["a"], true],
    ["leads to the outermost anchor of its name: does not fit", { $ref: "list", $defs: { TEXT, LIST } }, [1], false],
    [
      "passes resources without such an anchor",
      { $ref: "between", $defs: { TEXT, LIST, between: { $id: "between", $ref: "list" } } },
      [1],
      false,
    ],
    [
      "ignores plain anchors further out",
      { $ref: "list", $defs: { LIST, a: { $anchor: "entry", type: "string" } } },
      [1],
      true,
    ],
    [
      "is a plain one if it leads to no dynamic anchor itself",
      { $ref: "list", $defs: { TEXT, list: { ...LIST, $defs: { any: { $anchor: "entry" } } } } },
      [1],
      true,
    ],
    [
      "is a plain one if the dynamic anchor there has another name",
      { $ref: "list", $defs: { TEXT, list: { ...LIST, $defs: { any: { $anchor: "entry", $dynamicAnchor: "x" } } } } },
      [1],
      true,
    ],
    [
      "is a plain one if it is a pointer",
      {
        $ref: "list",
        $defs: { TEXT, list: { ...LIST, items: { $dynamicRef: "#/$defs/any" }, $defs: { any: NUMBER } } },
      },
      ["a"],
      false,
    ],
    [
      "may lead to a boolean",
      { properties: { no: { $dynamicRef: "#/$defs/no" } }, $defs: { no: false } },
      { no: 1 },
      false,
    ],
    ["extends a schema of another resource: fits", EXTENDED, { bar: { inner: { sure: "yes" } } }, true],
    ["extends a schema of another resource: does not fit", EXTENDED, { bar: { inner: { sure: "no" } } }, false],
    ["does not extend one that has a plain anchor", NOT_EXTENDED, { bar: { inner: { sure: "no" } } }, true],
    ["depends on the path to it: numbers", CHOICE, { kind: "numbers", list: [1] }, true],
    ["depends on the path to it: not texts", CHOICE, { kind: "numbers", list: ["a"] }, false],
    ["depends on the path to it: texts", CHOICE, { kind: "texts", list: ["a"] }, true],
    ["depends on the path to it: not numbers", CHOICE, { kind: "texts", list: [1] }, false],
    ["does not use what the check has left: text", LEFT, "a", false],
    ["does not use what the check has left: number", LEFT, 1, false],
    ["does not use what the check has left: null", LEFT, null, true],
    [
      "keeps a strict tree strict at every level",
      { $dynamicAnchor: "node", $ref: "tree", unevaluatedProperties: false, $defs: { TREE } },
      { children: [{ daat: 1 }] },
      false,
    ],
    [
      "lets a strict tree be a tree",
      { $dynamicAnchor: "node", $ref: "tree", unevaluatedProperties: false, $defs: { TREE } },
      { children: [{ data: 1, children: [{}] }] },
      true,
    ],
    [
      "does not depend on the order in which anchors are written",
      { allOf: [{ $ref: "list" }, { $defs: { TEXT } }], $defs: { LIST } },
      [1],
      false,
    ],
    [
      "counts the resource that a pointer leads into",
      {
        $ref: "https://x.example/a#/$defs/b",
        $defs: { a: { $id: "https://x.example/a", $defs: { NUMBER, b: { $dynamicRef: "#entry" } } } },
      },
      "a",
      false,
    ],
    [
      "of draft 2019-09 leads to the outermost recursive anchor",
      {
        $recursiveAnchor: true,
        $ref: "tree",
        unevaluatedProperties: false,
        $defs: {
          tree: { $id: "tree", $recursiveAnchor: true, properties: { child: { $recursiveRef: "#" } } },
        },
      },
      { child: { chidl: 1 } },
      false,
    ],
    [
      "of draft 2019-09 is a plain one without recursive anchors",
      {
        $ref: "tree",
        unevaluatedProperties: false,
        $defs: { tree: { $id: "tree", properties: { child: { $recursiveRef: "#" } } } },
      },
      { child: { chidl: 1 } },
      true,
    ],
  ])("%s", (_what, schema, value, expected) => {
    expect(fits(schema, value)).toBe(expected);
  });

  it("T27 that leads to itself ends the check instead of the program", () => {
    const endless = { $dynamicAnchor: "a", $dynamicRef: "#a" };
    const doubling = { $dynamicAnchor: "a", anyOf: [{ $dynamicRef: "#a" }, { $dynamicRef: "#a" }] };
    for (const schema of [endless, doubling]) {
      const run = createRun(50_000);
      compileSchema(schema, matchNatively)([], run, "", undefined);
      expect(run.steps).toBeLessThan(0);
      expect(run.resources).toEqual([]);
    }
  });
});
