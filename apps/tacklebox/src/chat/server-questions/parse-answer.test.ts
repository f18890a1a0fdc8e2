import { createValidator, type JsonObject, type JsonSchema, systemClock } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { type FormField, toFields } from "./form-field.ts";
import { type ParsedAnswer, parseAnswer } from "./parse-answer.ts";

const never = new AbortController().signal;
const validator = createValidator({ clock: systemClock });

function field(schema: JsonSchema, required: readonly string[] = []): FormField {
  const [only] = toFields({ type: "object", properties: { it: schema }, required });
  if (only === undefined) throw new Error("a form with one field has one");
  return only;
}

const parse = (schema: JsonSchema, line: string, required?: readonly string[]): Promise<ParsedAnswer> =>
  parseAnswer(field(schema, required), line, validator, never);

const FRIENDS = { type: "string", enum: ["Monica", "Rachel", "Joey"] };
const HEROES = {
  type: "string",
  oneOf: [
    { const: "hero-1", title: "Superman" },
    { const: "hero-2", title: "Green Lantern" },
  ],
};
const PETS = { type: "string", enum: ["pet-1", "pet-2"], enumNames: ["Cats", "Dogs, small"] };
const INSTRUMENTS = {
  type: "array",
  minItems: 1,
  maxItems: 2,
  items: { type: "string", enum: ["Guitar", "Piano", "Drums"] },
};
const FISH = {
  type: "array",
  items: {
    anyOf: [
      { const: "fish-1", title: "Tuna" },
      { const: "fish-2", title: "Rock, salmon" },
    ],
  },
};
const YEARS = { type: "string", enum: ["2", "1"] };

describe("a typed line becomes a value", () => {
  it.each<[string, JsonSchema, string, unknown]>([
    ["a text", { type: "string" }, " Ada Lovelace ", "Ada Lovelace"],
    ["a text that may be null", { type: ["null", "string"] }, "Ada", "Ada"],
    ["a number", { type: "number" }, "-3.5e2", -350],
    ["a whole number", { type: "integer" }, "42", 42],
    ["yes", { type: "boolean" }, "Y", true],
    ["no", { type: "boolean" }, "no", false],
    ["a choice by its name", FRIENDS, "rachel", "Rachel"],
    ["a choice by its place", FRIENDS, "3", "Joey"],
    ["a choice by its title", HEROES, "Green Lantern", "hero-2"],
    ["a choice by its value", HEROES, "hero-1", "hero-1"],
    ["a choice by its older title", PETS, "Dogs, small", "pet-2"],
    ["a choice that is a number: never by its place", YEARS, "1", "1"],
    ["several choices by name", INSTRUMENTS, "Drums, guitar", ["Drums", "Guitar"]],
    ["several choices by place", INSTRUMENTS, "1 3", ["Guitar", "Drums"]],
    ["one of several, twice", INSTRUMENTS, "1,1", ["Guitar"]],
    ["one of several with a comma in its title", FISH, "Rock, salmon", ["fish-2"]],
    ["what has no words of its own", { type: "object" }, '{"a":[1]}', { a: [1] }],
    ["a date", { type: "string", format: "date" }, "2024-02-29", "2024-02-29"],
    ["a moment", { type: "string", format: "date-time" }, "2026-01-31T09:30:00Z", "2026-01-31T09:30:00Z"],
    ["a format nobody knows", { type: "string", format: "constructor" }, "x", "x"],
  ])("%s", async (_, schema, line, value) => {
    expect(await parse(schema, line)).toEqual({ kind: "value", value });
  });
});

describe("a line that does not fit is explained", () => {
  it.each<[JsonSchema, string, string]>([
    [{ type: "number" }, "many", "It must be a number, such as 42."],
    [{ type: "number" }, "0x10", "It must be a number, such as 42."],
    [{ type: "integer" }, "1.5", "It must be a whole number."],
    [{ type: "integer" }, "12345678901234567890", "It is too large to be sent exactly."],
    [{ type: "integer", minimum: 1 }, "0", "It must be at least 1."],
    [{ type: "number", maximum: 9.5 }, "10", "It must be at most 9.5."],
    [{ type: "string", minLength: 3 }, "ab", "It must have at least 3 characters."],
    [{ type: "string", maxLength: 1 }, "ab", "It must have at most 1 character."],
    [{ type: "string", pattern: "^a" }, "b", "It must match the pattern ^a."],
    [{ type: "string", format: "email" }, "ada", "It must have the format email, such as ada@example.com."],
    [{ type: "string", format: "uri" }, "example", "It must have the format uri, such as https://example.com."],
    [{ type: "string", format: "date" }, "2026-02-31", "It must have the format date, such as 2026-01-31."],
    [
      { type: "string", format: "date-time" },
      "now",
      "It must have the format date-time, such as 2026-01-31T09:30:00Z.",
    ],
    [{ type: "boolean" }, "perhaps", "Type yes or no."],
    [FRIENDS, "4", 'The list has no "4".'],
    [HEROES, "Batman", 'The list has no "Batman".'],
    [INSTRUMENTS, "Guitar, Flute", 'The list has no "Flute".'],
    [INSTRUMENTS, "1 2 3", "It must have at most 2 items."],
    [{ type: "object" }, "{", 'It must be JSON, such as {"a": 1}.'],
    [{ type: "integer", default: "many" }, "", "It must be a whole number, not a string."],
  ])("%j %j", async (schema, line, message) => {
    expect(await parse(schema, line)).toEqual({ kind: "problem", message });
  });
});

describe("an empty line", () => {
  it("accepts the form's suggestion", async () => {
    expect(await parse({ type: "integer", default: 42 }, "")).toEqual({ kind: "value", value: 42 });
    expect(await parse({ ...INSTRUMENTS, default: ["Piano"] }, " ", ["it"])).toEqual({
      kind: "value",
      value: ["Piano"],
    });
    expect(await parse({ type: "boolean", default: false }, "")).toEqual({ kind: "value", value: false });
  });

  it("leaves out an optional field, but not a required one", async () => {
    expect(await parse({ type: "string" }, "")).toEqual({ kind: "left-out" });
    expect(await parse({ type: "string" }, "", ["it"])).toEqual({ kind: "problem", message: "It cannot be left out." });
  });
});

describe("a word instead of an answer", () => {
  it("leaves out a suggested value, unless it is required", async () => {
    const schema = { type: "string", default: "x" };
    expect(await parse(schema, "/skip")).toEqual({ kind: "left-out" });
    expect(await parse(schema, "/skip", ["it"])).toMatchObject({ kind: "problem" });
  });

  it.each(["decline", "cancel"])("ends the question: %s", async (kind) => {
    expect(await parse(FRIENDS, ` /${kind} `)).toEqual({ kind });
  });
});

it("a schema that cannot be checked here is left to the server", async () => {
  const broken = { check: () => Promise.reject(new Error("it takes too long")) };
  expect(await parseAnswer(field({ type: "string" }), "x", broken, never)).toEqual({ kind: "value", value: "x" });
});

it("a form without properties has no fields, whatever it contains instead", () => {
  expect([{}, { properties: [] }, { properties: {} }].map((schema: JsonObject) => toFields(schema))).toEqual([
    [],
    [],
    [],
  ]);
});

it("a property that is not a schema is still asked for", () => {
  expect(toFields({ properties: { it: true }, required: "it" })).toMatchObject([
    { name: "it", title: "it", isRequired: false, input: { kind: "json" } },
  ]);
});
