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
    [{ description: "x".repeat(70_000) }, "is 70018 characters long; at most 65536 are accepted"],
  ])("refuses %j", (schema, problem) => {
    expect(schemaProblem(schema)).toBe(problem);
  });

  it("T27 bounds depth and number of parts", () => {
    expect(schemaProblem(nested(32))).toBeUndefined();
    expect(schemaProblem(nested(33))).toMatch(/is nested more than 32 levels deep$/);
    const wide = { properties: Object.fromEntries(Array.from({ length: 2_100 }, (_, index) => [`p${index}`, {}])) };
    expect(schemaProblem(wide)).toBe("has more than 2000 parts");
  });
});
