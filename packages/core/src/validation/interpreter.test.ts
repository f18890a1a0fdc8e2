import { Validator as OtherInterpreter } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import type { Json, JsonSchema } from "../json/json.ts";
import { systemClock } from "../platform/system-clock.ts";
import { createValidator } from "./create-validator.ts";

const validator = createValidator({ clock: systemClock });
const never = new AbortController().signal;

async function fits(schema: JsonSchema, value: Json): Promise<boolean> {
  return (await validator.check(schema, value, never)).length === 0;
}

/** The verdict of a third-party interpreter, for cases in which it is right. */
function fitsElsewhere(schema: JsonSchema, value: Json): boolean {
  return new OtherInterpreter(structuredClone(schema), "2020-12", false).validate(value).valid;
}

const tree: JsonSchema = {
  type: "object",
  properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
  required: ["name"],
};
const shapes: JsonSchema = {
  oneOf: [
    { properties: { kind: { const: "circle" }, radius: { type: "number" } }, required: ["kind", "radius"] },
    { properties: { kind: { const: "square" }, side: { type: "number" } }, required: ["kind", "side"] },
  ],
};
const country = conditional(
  { properties: { country: { const: "US" } }, required: ["country"] },
  { properties: { zip: { pattern: "^[0-9]{5}$" } } },
  { required: ["city"] },
);
const open: JsonSchema = {
  allOf: [{ properties: { a: {} } }, { anyOf: [{ properties: { b: { type: "string" } }, required: ["b"] }, true] }],
  unevaluatedProperties: false,
};

describe("the interpreter agrees with the standard, and with a third-party one", () => {
  it.each<[schema: JsonSchema, value: Json, expected: boolean]>([
    [{}, null, true],
    [{ type: "integer" }, 1.0, true],
    [{ type: "integer" }, 1.5, false],
    [{ type: "number" }, 1, true],
    [{ type: "number" }, "1", false],
    [{ type: ["string", "null"] }, null, true],
    [{ type: ["string", "integer"] }, 1.5, false],
    [{ type: "object" }, [], false],
    [{ type: "array" }, {}, false],
    [{ const: { a: [1, { b: null }] } }, { a: [1, { b: null }] }, true],
    [{ const: { a: 1, b: 2 } }, { b: 2, a: 1 }, true],
    [{ const: { a: 1 } }, { a: 1, b: 2 }, false],
    [{ const: 0 }, false, false],
    [{ enum: [1, "1", null, [1]] }, [1], true],
    [{ enum: [1, "1", null, [1]] }, "2", false],
    [{ enum: [] }, 1, false],
    [{ minimum: 1, maximum: 3 }, 3, true],
    [{ exclusiveMinimum: 1 }, 1, false],
    [{ exclusiveMaximum: 3 }, 2.999, true],
    [{ minimum: 1 }, "0", true],
    [{ multipleOf: 0.1 }, 0.3, true],
    [{ multipleOf: 0.01 }, 19.99, true],
    [{ multipleOf: 3 }, 1e300, false],
    [{ multipleOf: 1e-8 }, 12_391_239_123, true],
    [{ minLength: 2 }, "😀", false],
    [{ maxLength: 2 }, "😀😀", true],
    [{ pattern: "b" }, "abc", true],
    [{ pattern: "^b" }, "abc", false],
    [{ pattern: "^(?!b)" }, 5, true],
    [{ format: "date" }, "2024-02-30", false],
    [{ format: "date-time" }, "2024-02-29T12:00:00Z", true],
    [{ format: "uri" }, "not a uri", false],
    [{ format: "no-such-format" }, "anything", true],
    [{ minItems: 1, maxItems: 2 }, [], false],
    [{ uniqueItems: true }, [1, "1", [1], ["1"], { a: 1 }, { a: "1" }, null, "null"], true],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    [{ uniqueItems: true }, ["[1]", [1]], true],
    [{ items: { type: "string" } }, ["a", 1], false],
    [{ prefixItems: [{ type: "string" }], items: { type: "number" } }, ["a", 1, 2], true],
    [{ prefixItems: [{ type: "string" }], items: false }, ["a", 1], false],
    [{ items: [{ type: "string" }], additionalItems: false }, ["a"], true],
    [{ items: [{ type: "string" }], additionalItems: false }, ["a", 1], false],
    [{ contains: { type: "number" } }, ["a", 1], true],
    [{ contains: { type: "number" }, minContains: 2 }, ["a", 1], false],
    [{ contains: { type: "number" }, maxContains: 1 }, [1, 2], false],
    [{ contains: { type: "number" }, minContains: 0 }, [], true],
    [{ required: ["a"] }, { a: null }, true],
    [{ required: ["a"] }, {}, false],
    [{ required: ["constructor"] }, {}, false],
    [{ properties: { constructor: { type: "number" } } }, {}, true],
    [{ minProperties: 1 }, {}, false],
    [{ propertyNames: { pattern: "^[a-z]+$" } }, { a1: 1 }, false],
    [{ properties: { a: { type: "number" } } }, { a: "x" }, false],
    [{ patternProperties: { "^x-": { type: "number" } } }, { "x-a": 1, y: "z" }, true],
    [{ patternProperties: { "^x-": { type: "number" } } }, { "x-a": "1" }, false],
    [{ patternProperties: { "^x-": {} }, additionalProperties: false }, { "x-a": 1, y: 1 }, false],
    [{ additionalProperties: { type: "number" } }, { a: 1, b: "2" }, false],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }, false],
    [{ dependentSchemas: { a: { required: ["b"] } } }, { b: 1 }, true],
    [{ dependencies: { a: ["b"] } }, { a: 1 }, false],
    [{ not: { type: "string" } }, "a", false],
    [{ anyOf: [{ type: "string" }, { minimum: 5 }] }, 6, true],
    [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, 4, false],
    [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, false],
    [shapes, { kind: "square", side: 1 }, true],
    [shapes, { kind: "square", radius: 1 }, false],
    [country, { country: "US", zip: "1234" }, false],
    [country, { country: "DE", city: "Ulm" }, true],
    [tree, { name: "a", children: [{ name: "b", children: [] }] }, true],
    [tree, { name: "a", children: [{ children: [] }] }, false],
    [{ $ref: "#/$defs/a%25b", $defs: { "a%b": { type: "number" } } }, "x", false],
    [{ $ref: "#/$defs/a", minimum: 3, $defs: { a: { maximum: 5 } } }, 2, false],
    [open, { a: 1, b: "x" }, true],
    [open, { a: 1, b: 2 }, false],
    [{ prefixItems: [true], unevaluatedItems: false }, [1, 2], false],
  ])("%j with %j: %s", async (schema, value, expected) => {
    expect(await fits(schema, value)).toBe(expected);
    expect(fitsElsewhere(schema, value)).toBe(expected);
  });

  // The other interpreter gets these wrong, or does not support them.
  it.each<[schema: JsonSchema, value: Json, expected: boolean]>([
    [{ allOf: [{ properties: { a: {} } }, { unevaluatedProperties: false }] }, { a: 1 }, false],
    [{ $dynamicRef: "#n", $defs: { n: { $dynamicAnchor: "n", type: "number" } } }, "x", false],
    [{ $ref: "#n", $defs: { n: { $id: "#n", type: "number" } } }, "x", false],
    [{ pattern: "^\\-[a-z]$" }, "-a", true],
    [{ format: "url" }, "https://localhost/x", true],
    [
      { $schema: "http://json-schema.org/draft-07/schema#", $ref: "#/$defs/a", type: "string", $defs: { a: {} } },
      1,
      true,
    ],
    [{ $schema: "http://json-schema.org/draft-04/schema#", minimum: 1, exclusiveMinimum: true }, 1, false],
  ])("%j with %j: %s, as we read the standard", async (schema, value, expected) => {
    expect(await fits(schema, value)).toBe(expected);
  });

  it("agrees on thousands of random schemas and values", async () => {
    const random = createRandom(20_260_801);
    const differing: unknown[] = [];
    for (let round = 0; round < 1_000; round += 1) {
      const schema = { ...randomSchema(random, 3), $defs: { x: randomSchema(random, 0), y: randomSchema(random, 0) } };
      const value = randomValue(random, 3);
      if ((await fits(schema, value)) !== fitsElsewhere(schema, value)) differing.push({ schema, value });
    }
    expect(differing).toEqual([]);
  });
});

/** Parsed from a text because an object literal with a `then` looks like a promise. */
function conditional(condition: Json, next: Json, otherwise: Json): JsonSchema {
  const [first, second, third] = [condition, next, otherwise].map((part) => JSON.stringify(part));
  return JSON.parse(`{"if": ${first}, "then": ${second}, "else": ${third}}`);
}

type Random = <T>(choices: readonly T[]) => T;

function createRandom(seed: number): Random {
  let state = seed;
  return (choices) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    const choice = choices[(state >> 8) % choices.length];
    if (choice === undefined) throw new Error("There is nothing to choose from");
    return choice;
  };
}

function randomValue(random: Random, depth: number): Json {
  const kind = depth === 0 ? "plain" : random(["plain", "plain", "list", "object"]);
  if (kind === "plain") return random([0, 1, 2, -1, 1.5, "", "a", "ab", "2024-01-01", true, [], {}]);
  const members = random([0, 1, 2, 3]);
  if (kind === "list") return Array.from({ length: members }, () => randomValue(random, depth - 1));
  return Object.fromEntries(NAMES.slice(0, members).map((name) => [name, randomValue(random, depth - 1)]));
}

const NAMES = ["a", "constructor", "b"];

function randomSchema(random: Random, depth: number): JsonSchema {
  const below = () => (random([1, 2, 3, 4, 5, 6, 7, 8]) === 1 ? random([1, 2]) === 1 : randomSchema(random, depth - 1));
  const value = () => randomValue(random, 1);
  const leaves: (() => JsonSchema)[] = [
    () => ({ type: random(["string", "number", "integer", "object", "array", "boolean"]) }),
    () => ({ type: [random(["string", "number"]), random(["object", "array"])] }),
    () => ({ enum: [value(), value(), value()] }),
    () => ({ minimum: 1, exclusiveMaximum: 2 }),
    () => ({ minLength: 1, pattern: random(["^a", "b$", "^[a-z]+$"]) }),
    () => ({ required: [random(NAMES)] }),
    () => ({ minItems: 1, uniqueItems: true }),
  ];
  const nests: (() => JsonSchema)[] = [
    () => ({ properties: { a: below(), constructor: below() } }),
    () => ({ properties: { a: below() }, additionalProperties: below() }),
    () => ({ patternProperties: { "^[a-c]": below() } }),
    () => ({ propertyNames: below() }),
    () => ({ items: below() }),
    () => ({ prefixItems: [below()], items: below() }),
    () => ({ contains: below() }),
    () => ({ anyOf: [below(), below()] }),
    () => ({ allOf: [below(), below()] }),
    () => ({ oneOf: [below(), below()] }),
    () => ({ not: below() }),
    () => conditional(below(), below(), below()),
    () => ({ dependentSchemas: { a: below() } }),
    () => ({ $ref: random(["#/$defs/x", "#/$defs/y"]) }),
  ];
  const make = depth === 0 ? leaves : [...leaves, ...nests, ...nests];
  return { ...random(make)(), ...random(make)() };
}
