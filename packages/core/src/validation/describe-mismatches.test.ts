import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../json/json.ts";
import { systemClock } from "../platform/system-clock.ts";
import { createValidator } from "./create-validator.ts";

const validator = createValidator({ clock: systemClock });

/** Problems as people read them: `path: message`. */
async function problemsOf(schema: JsonSchema, value: unknown): Promise<string[]> {
  const problems = await validator.check(schema, value, new AbortController().signal);
  return problems.map(({ path, message }) => `${path}: ${message}`);
}

/** The problems of an argument `x` with the given schema. */
function problemsOfX(schema: JsonSchema, x: unknown): Promise<string[]> {
  return problemsOf({ type: "object", properties: { x: schema } }, { x });
}

describe("descriptions of wrong arguments in plain sentences", () => {
  const people: JsonSchema = { type: "object", required: ["name", "age"], properties: { name: {}, age: {} } };

  it.each<[JsonSchema, unknown, string]>([
    [{ type: "number" }, "5", "must be a number, not a string"],
    [{ type: "string" }, 5, "must be a string, not a number"],
    [{ type: "string" }, null, "must be a string, not null"],
    [{ type: "boolean" }, "true", "must be a boolean, not a string"],
    [{ type: "object" }, [], "must be an object, not an array"],
    [{ type: "array" }, {}, "must be an array, not an object"],
    [{ type: "integer" }, 1.5, "must be a whole number"],
    [{ type: "integer" }, true, "must be a whole number, not a boolean"],
    [{ type: ["string", "null"] }, 5, "must be a string or null, not a number"],
    [{ enum: ["north", "south"] }, "nroth", `must be one of: "north", "south" (did you mean "north"?)`],
    [{ enum: [1, null] }, 2, "must be one of: 1, null"],
    [{ const: "v1" }, "v2", 'must be "v1"'],
    [{ minimum: 1 }, 0, "must be at least 1"],
    [{ maximum: 9 }, 10, "must be at most 9"],
    [{ exclusiveMinimum: 0 }, 0, "must be more than 0"],
    [{ exclusiveMaximum: 9 }, 9, "must be less than 9"],
    [{ multipleOf: 5 }, 7, "must be a multiple of 5"],
    [{ minLength: 1 }, "", "must not be empty"],
    [{ minLength: 3 }, "ab", "must have at least 3 characters"],
    [{ maxLength: 1 }, "ab", "must have at most 1 character"],
    [{ pattern: "^[a-z]+$" }, "A", "must match the pattern ^[a-z]+$"],
    [{ format: "date" }, "tomorrow", "must have the format date"],
    [{ minItems: 1 }, [], "must not be empty"],
    [{ maxItems: 2 }, [1, 2, 3], "must have at most 2 items"],
    [{ uniqueItems: true }, [1, 1], "must not have the same item twice"],
    [{ contains: { const: 1 } }, [2], "must contain an item of the kind the tool's schema asks for"],
    [{ minProperties: 2 }, { a: 1 }, "must have at least 2 properties"],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, "must have at most 1 property"],
    [{ not: { type: "string" } }, "a", "must not be of the kind the tool's schema excludes"],
    [{ oneOf: [{}, {}] }, 1, "must fit exactly one of the alternatives in the tool's schema"],
    [{ dependentRequired: { card: ["address"] } }, { card: 1 }, 'is missing "address", which "card" needs'],
    [people, {}, 'is missing "name", "age"'],
  ])("%j, given %j", async (schema, value, text) => {
    expect(await problemsOfX(schema, value)).toEqual([`/x: ${text}`]);
  });

  it("says what is missing about the object that misses it", async () => {
    const schema: JsonSchema = { type: "object", required: ["message"] };
    expect(await problemsOf(schema, {})).toEqual([': is missing "message"']);
  });

  it("names an unknown property and the one that was probably meant", async () => {
    const closed: JsonSchema = { type: "object", properties: { message: {} }, additionalProperties: false };
    expect(await problemsOf(closed, { mesage: 1, zzzzzzzz: 2 })).toEqual([
      `: has the unknown property "mesage" (did you mean "message"?)`,
      ': has the unknown property "zzzzzzzz"',
    ]);
    expect(await problemsOfX({ ...closed, unevaluatedProperties: false }, { messages: 1 })).toEqual([
      `/x: has the unknown property "messages" (did you mean "message"?)`,
    ]);
  });

  it("says of a property whose schema is false that it is not allowed", async () => {
    expect(await problemsOfX({ properties: { properties: false } }, { properties: 1 })).toEqual([
      "/x/properties: is not allowed",
    ]);
  });

  it("makes one sentence of alternatives that all fail", async () => {
    expect(await problemsOfX({ anyOf: [{ type: "number" }, { type: "null" }] }, "a")).toEqual([
      "/x: must be a number or null, not a string",
    ]);
    expect(await problemsOfX({ anyOf: [{ type: "number" }, { enum: ["all"] }] }, "al")).toEqual([
      `/x: must be a number, not a string, or must be one of: "all" (did you mean "all"?)`,
    ]);
  });

  it("follows references, and conditions to what they ask for", async () => {
    const schema: JsonSchema = {
      type: "object",
      properties: { age: { $ref: "#/$defs/a~1b" } },
      if: { required: ["child"] },
      else: { required: ["name"] },
      $defs: { "a/b": { type: "integer", minimum: 0 } },
    };
    expect(await problemsOf(schema, { age: -1 })).toEqual([': is missing "name"', "/age: must be at least 0"]);
  });

  it("gives paths as plain JSON pointers, whatever the names", async () => {
    const names = ["größe", "a b", "50%", "c#", "x/y"];
    const schema = { type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "null" }])) };
    const value = Object.fromEntries(names.map((name) => [name, 1]));
    const problems = await validator.check(schema, value, new AbortController().signal);
    expect(problems.map(({ path }) => path)).toEqual(["/größe", "/a b", "/50%", "/c#", "/x~1y"]);
    expect(new Set(problems.map(({ message }) => message))).toEqual(new Set(["must be null, not a number"]));
  });

  it("follows references to anchors", async () => {
    const schema: JsonSchema = {
      type: "object",
      properties: { x: { $ref: "#count" } },
      $defs: { count: { $anchor: "count", minimum: 3 } },
    };
    expect(await problemsOf(schema, { x: 1 })).toEqual(["/x: must be at least 3"]);
  });

  it("names no more than 20 of many mistakes", async () => {
    const wrong = Array.from({ length: 50_000 }, () => 1);
    expect(await problemsOfX({ items: { type: "string" } }, wrong)).toHaveLength(20);
  });

  it("cuts what a server's schema makes too long", async () => {
    const [text] = await problemsOfX({ pattern: `^${"a".repeat(900)}$` }, "b");
    expect(text).toBe(`/x: must match the pattern ^${"a".repeat(199)}…`);
  });
});
