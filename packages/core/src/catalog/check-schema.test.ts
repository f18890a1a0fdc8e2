import { describe, expect, it } from "vitest";
import { schemaProblem } from "./check-schema.ts";

function nested(depth: number): unknown {
  return depth === 0 ? { type: "string" } : { type: "object", properties: { a: nested(depth - 1) } };
}

describe("schemaProblem", () => {
  it.each([
    [{ type: "object", required: ["a"], properties: { a: true }, additionalProperties: false }],
    [{ type: "object", properties: { a: { type: "string", required: true } } }],
    [{ type: "array", items: [{ type: "string" }, { type: "number" }] }],
    [{ anyOf: [{ type: "null" }, { $ref: "#/$defs/x" }], $defs: { x: { enum: [1] } } }],
    [{ type: "string", pattern: "^\\-[a-z]+$" }],
    [{ $ref: "#thing", $defs: { x: { $anchor: "thing" } } }],
    [{ $id: "https://example.org/a", $ref: "https://example.org/a#/$defs/x", $defs: { x: {} } }],
    [{ $ref: "item", $defs: { x: { $id: "item", $ref: "#/$defs/y", $defs: { y: true } } } }],
    [{ $ref: "#/$defs/x", $defs: { x: { $id: "https://example.org/x", $ref: "#/$defs/y" }, y: {} } }],
    [{ type: "object", properties: { child: { $ref: "#" } } }],
    [{ properties: { $ref: { type: "string" } } }],
  ])("accepts %j", (schema) => {
    expect(schemaProblem(schema)).toBeUndefined();
  });

  it.each([
    [[], "/ is not a schema"],
    [{ properties: [] }, "/properties is not a map of schemas"],
    [{ properties: { a: 3 } }, "/properties/a is not a schema"],
    [{ allOf: {} }, "/allOf is not a list of schemas"],
    [{ required: "a" }, "/required is not a list of names"],
    [{ enum: "a" }, "/enum is not a list"],
    [{ pattern: "(" }, "/pattern is not a regular expression"],
    [{ pattern: 1 }, "/pattern is not a regular expression"],
    [{ items: { type: ["string", "text"] } }, "/items/type is not a JSON Schema type"],
    [{ patternProperties: { "(": {} } }, "/patternProperties has '(', which is not a regular expression"],
    [{ $ref: 1 }, "/$ref is not a reference"],
    [{ $ref: "#/x-parts/a", "x-parts": { a: { properties: 1 } } }, "/$ref/properties is not a map of schemas"],
    [{ description: "x".repeat(70_000) }, "is 70018 characters long; at most 65536 are accepted"],
  ])("refuses %j", (schema, problem) => {
    expect(schemaProblem(schema)).toBe(problem);
  });

  it.each(["https://example.org/schema", "file:///etc/passwd", "other.json", "#/$defs/none", "#none", "#/%zz"])(
    "T27 refuses a reference to %s, which would have to be fetched or is nowhere",
    (reference) => {
      expect(schemaProblem({ properties: { a: { $ref: reference } } })).toBe(
        `/properties/a/$ref refers to '${reference}', which is not in the schema; nothing is fetched`,
      );
    },
  );

  it.each([3_000, 200_000])("T27 refuses %i levels of nesting", (depth) => {
    const lists = JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
    expect(schemaProblem({ const: lists })).toBe("is nested more than 32 levels deep");
    expect(schemaProblem(JSON.parse(`${'{"not":'.repeat(depth)}{}${"}".repeat(depth)}`))).toBe(
      "is nested more than 32 levels deep",
    );
  });

  it("accepts definitions that refer to each other in a long chain", () => {
    const chain = Array.from({ length: 100 }, (_, n) => [`d${n}`, { items: { $ref: `#/$defs/d${(n + 1) % 100}` } }]);
    expect(schemaProblem({ $ref: "#/$defs/d0", $defs: Object.fromEntries(chain) })).toBeUndefined();
  });

  it("T27 limits depth and number of parts", () => {
    expect(schemaProblem(nested(32))).toBeUndefined();
    expect(schemaProblem(nested(33))).toMatch(/is nested more than 32 levels deep$/);
    const wide = { properties: Object.fromEntries(Array.from({ length: 2_100 }, (_, index) => [`p${index}`, {}])) };
    expect(schemaProblem(wide)).toBe("has more than 2000 parts");
  });
});
